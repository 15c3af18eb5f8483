// @ts-check
/* Fields that have another id at each load, as the real page's have. */
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

for (const field of document.querySelectorAll("[data-random-id]")) {
  const id = Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => LETTERS[byte % LETTERS.length]).join("");
  const label = document.getElementById(field.getAttribute("aria-labelledby") ?? "");
  document.querySelector(`label[for="${field.id}"]`)?.setAttribute("for", id);
  field.id = id;
  if (!label) continue;
  label.id = `${id}-label`;
  field.setAttribute("aria-labelledby", label.id);
}

export {};
