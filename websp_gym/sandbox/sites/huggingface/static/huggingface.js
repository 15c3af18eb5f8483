// @ts-check
/* Drop-downs that can be searched, the editor of a card (its metadata form and its text say the same), and small buttons. */

for (const pick of document.querySelectorAll("[data-hf-pick]")) {
  const search = /** @type {HTMLInputElement} */ (pick.querySelector("input[type=search]"));
  const field = /** @type {HTMLInputElement} */ (pick.querySelector("input[type=hidden]"));
  const shown = /** @type {HTMLElement} */ (pick.querySelector("button span"));
  const options = /** @type {HTMLElement[]} */ ([...pick.querySelectorAll("[role=option]")]);
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    options.forEach((option, place) => { option.hidden = wanted ? !option.textContent?.includes(wanted) : place >= 12; });
  };
  search.addEventListener("input", filter);
  search.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
  for (const option of options) {
    option.addEventListener("click", () => {
      field.value = option.dataset.value ?? "";
      shown.textContent = field.value;
      for (const each of options) each.setAttribute("aria-selected", String(each === option));
      search.value = "";
      filter();
    });
    option.addEventListener("keydown", (event) => { if (event.key === "Enter") option.click(); });
  }
}

const editor = document.querySelector("[data-hf-editor]");
if (editor) {
  const text = /** @type {HTMLTextAreaElement} */ (editor.querySelector("textarea[name=content]"));
  const fields = /** @type {HTMLInputElement[]} */ ([...editor.querySelectorAll("[data-meta]")]);
  const licenses = [...document.querySelectorAll("#licenses option")].map((option) => option.getAttribute("value") ?? "");
  /** The metadata at the head of the text, one chunk for each key, and the rest. */
  const split = () => {
    const found = /^---[ \t]*\n([^]*?)^---[ \t]*(?:\n|$)/m.exec(text.value);
    const head = found && found.index === 0 ? found : null;
    return { chunks: head ? head[1].split(/^(?=[\w-]+:)/m).filter((chunk) => chunk.trim()) : [], body: head ? text.value.slice(head[0].length) : text.value };
  };
  /** @param {string} chunk */
  const words = (chunk) => {
    const [first, ...lines] = chunk.slice(chunk.indexOf(":") + 1).split("\n");
    const inline = first.trim().replace(/^\[|\]$/g, "");
    return [...inline.split(","), ...lines.map((line) => line.trim().replace(/^-\s*/, ""))].map((word) => word.trim().replace(/^(["'])(.*)\1$/, "$2")).filter(Boolean);
  };
  const check = () => {
    const [license] = fields;
    const wrong = license.value.split(",").map((word) => word.trim()).find((word) => word && !licenses.includes(word));
    license.setCustomValidity(wrong ? `"${wrong}" is not the id of a license` : "");
  };
  const read = () => {
    const { chunks } = split();
    for (const field of fields) field.value = words(chunks.find((chunk) => chunk.startsWith(`${field.dataset.meta}:`)) ?? ":").join(", ");
    check();
  };
  /** @param {HTMLInputElement} field */
  const write = (field) => {
    const { chunks, body } = split();
    const key = `${field.dataset.meta}:`;
    const value = field.value.split(",").map((word) => word.trim()).filter(Boolean);
    const many = field.dataset.list !== undefined || (field.dataset.meta === "license" && value.length > 1);
    const chunk = many ? `${key}\n${value.map((word) => `- ${word}\n`).join("")}` : `${key} ${field.value.trim()}\n`;
    const place = chunks.findIndex((each) => each.startsWith(key));
    if (place >= 0) chunks.splice(place, 1, ...(value.length ? [chunk] : []));
    else if (value.length) chunks.unshift(chunk);
    text.value = (chunks.length ? `---\n${chunks.join("")}---\n` : "") + body;
    check();
  };
  text.addEventListener("input", read);
  for (const field of fields) field.addEventListener("input", () => write(field));
  for (const target of /** @type {NodeListOf<HTMLInputElement>} */ (editor.querySelectorAll("[data-commit]"))) {
    target.addEventListener("change", () => {
      const button = editor.querySelector("[data-commits]");
      if (button) button.textContent = target.dataset.commit ?? "";
    });
  }
  read();
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-hf-copy], [data-hf-remove]") : null;
  const remove = button?.getAttribute("data-hf-remove");
  const token = /** @type {HTMLInputElement | null} */ (document.querySelector("[data-hf-token]"));
  if (remove) /** @type {HTMLInputElement} */ (document.getElementById(remove)).value = "";
  else if (button && token) {
    token.select();
    button.textContent = "Copied";
    navigator.clipboard?.writeText(token.value).catch(() => {});
  }
});

export {};
