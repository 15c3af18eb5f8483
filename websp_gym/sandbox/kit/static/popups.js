// @ts-check
/*
 * What unfolds: menus, lists of options and sections (data-kit-expand, aria-controls), tabs (role=tab), and dialogs that are
 * part of the page (data-kit-open, data-kit-close).
 */

/** @type {(element: Element) => Document | ShadowRoot} */
const rootOf = (element) => /** @type {Document | ShadowRoot} */ (element.getRootNode());

/**
 * @param {Element} button
 * @param {boolean} open
 */
function unfold(button, open) {
  button.setAttribute("aria-expanded", String(open));
  const panel = rootOf(button).getElementById(button.getAttribute("aria-controls") ?? "");
  if (panel) panel.hidden = !open;
}

/** The popups that are open, with their buttons; sections that fold are none of them. @type {Element[]} */
let popups = [];

/** @param {Element | null} keep */
function closePopups(keep) {
  for (const button of popups) if (button !== keep) unfold(button, false);
  popups = popups.filter((button) => button === keep);
}

document.addEventListener("click", (event) => {
  const [target] = event.composedPath();
  if (!(target instanceof Element)) return;
  // A page that drew itself anew has taken them away.
  popups = popups.filter((each) => each.isConnected);
  const button = target.closest("[data-kit-expand]");
  const isOpen = button?.getAttribute("aria-expanded") === "true";
  const inside = popups.find((each) => rootOf(each).getElementById(each.getAttribute("aria-controls") ?? "")?.contains(target));
  closePopups(button ?? (target.closest("[role=option], [role=menuitem]") ? null : inside ?? null));
  if (button?.isConnected) {
    unfold(button, !isOpen);
    popups = button.hasAttribute("aria-haspopup") && !isOpen ? [button] : [];
  }
  const tab = target.closest("[role=tab][aria-controls]");
  if (tab?.isConnected) selectTab(tab);
  const opener = target.closest("[data-kit-open]");
  const dialog = opener?.isConnected && rootOf(opener).getElementById(opener.getAttribute("data-kit-open") ?? "");
  if (dialog instanceof HTMLDialogElement) dialog.showModal();
  if (target.closest("[data-kit-close]")) target.closest("dialog")?.close();
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !popups.length) return;
  const [button] = popups;
  closePopups(null);
  if (button instanceof HTMLElement) button.focus();
});

/** @param {Element} tab */
function selectTab(tab) {
  for (const other of tab.closest("[role=tablist]")?.querySelectorAll("[role=tab]") ?? []) {
    other.setAttribute("aria-selected", String(other === tab));
    const panel = rootOf(other).getElementById(other.getAttribute("aria-controls") ?? "");
    if (panel) panel.hidden = other !== tab;
  }
}

for (const tab of document.querySelectorAll("[role=tab][aria-selected=true]")) selectTab(tab);
for (const dialog of document.querySelectorAll("dialog[data-kit-start-open]")) /** @type {HTMLDialogElement} */ (dialog).showModal();

export {};
