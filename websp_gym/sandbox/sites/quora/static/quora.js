// @ts-check
/* Quora numbers its switches as they appear, and draws a switch anew after each change: its id is another one from then on. */
let last = 0;

/** @param {Element} pill the label that is drawn as a switch */
function number(pill) {
  pill.id = `switch:${++last}`;
  pill.previousElementSibling?.setAttribute("for", pill.id);
}

for (const pill of document.querySelectorAll(".switch")) number(pill);
document.addEventListener("change", ({ target }) => {
  const pill = target instanceof Element ? target.closest(".switch") : null;
  if (pill) number(pill);
});
