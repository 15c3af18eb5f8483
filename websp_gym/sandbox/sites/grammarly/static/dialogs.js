// @ts-check
/*
 * Questions as the account site asks them. Where a switch asks before it goes on and before it goes off, the question is the one
 * that fits the way it was just moved (data-asks, by what the switch became).
 */

/** @typedef {{title: string, text: string, accept: string, decline: string}} Question */

/**
 * @param {string} tag
 * @param {string} className
 * @param {string} text
 */
function part(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.textContent = text;
  if (element instanceof HTMLButtonElement) element.type = "button";
  return element;
}

/**
 * @param {Question} question
 * @returns {Question}
 */
function fitting(question) {
  const control = /** @type {HTMLInputElement | null} */ (document.querySelector("input[data-asks]"));
  /** @type {Record<string, Question>} */
  const asks = JSON.parse(control?.dataset.asks ?? "{}");
  const isOne = Object.values(asks).some(({ title }) => title === question.title);
  return isOne ? asks[String(control?.checked)] : question;
}

/**
 * @param {Question} given
 * @returns {Promise<boolean>}
 */
function ask(given) {
  const { title, text, accept, decline } = fitting(given);
  const dialog = document.createElement("dialog");
  dialog.className = "kit-dialog gds-dialog";
  dialog.setAttribute("aria-label", title);
  const answers = part("div", "kit-answers", "");
  const no = part("button", "gds-button gds-button-secondary", decline);
  const yes = part("button", `gds-button gds-button-${/on$/.test(accept) ? "primary" : "critical"}`, accept);
  answers.append(no, yes);
  dialog.append(part("h2", "", title), part("p", "", text), answers);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    yes.addEventListener("click", () => dialog.close("accepted"));
    no.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "accepted");
    });
  });
}

/** @type {{kitAsk?: typeof ask}} */ (globalThis).kitAsk = ask;

export {};
