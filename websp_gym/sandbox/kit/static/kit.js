// @ts-check
"use strict";

/**
 * Sends fields to an action of the site as JSON.
 * @param {string} path
 * @param {Record<string, unknown>} fields
 * @returns {Promise<any>} the reply; rejects when the site refused
 */
async function kitPost(path, fields) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(fields),
  });
  const reply = await response.json();
  if (!response.ok) throw new Error(reply.error ?? `HTTP ${response.status}`);
  return reply;
}

/**
 * Shows a message for a moment, the way sites confirm a save.
 * @param {string} text
 */
function kitToast(text) {
  const toast = document.createElement("div");
  toast.className = "kit-toast";
  toast.setAttribute("role", "status");
  toast.textContent = text;
  document.body.append(toast);
  setTimeout(() => toast.remove(), 3000);
}

/**
 * Saves a control at once: an ARIA switch, or a check box that has just been flipped.
 * @param {Element} control with data-kit-post and data-kit-field; data-kit-said is told when it worked
 */
async function kitFlip(control) {
  const box = control instanceof HTMLInputElement ? control : null;
  const on = box ? box.checked : control.getAttribute("aria-checked") !== "true";
  const field = control.getAttribute("data-kit-field") ?? "";
  try {
    await kitPost(control.getAttribute("data-kit-post") ?? "", { [field]: on });
    if (!box) control.setAttribute("aria-checked", String(on));
    const said = control.getAttribute("data-kit-said");
    if (said) kitToast(said);
    control.dispatchEvent(new CustomEvent("kit-change", { bubbles: true, detail: { on } }));
  } catch (error) {
    if (box) box.checked = !on;
    kitToast(error instanceof Error ? error.message : String(error));
  }
}

/** @param {Element} tab */
function kitSelectTab(tab) {
  for (const other of tab.closest("[role=tablist]")?.querySelectorAll("[role=tab]") ?? []) {
    other.setAttribute("aria-selected", String(other === tab));
    const panel = document.getElementById(other.getAttribute("aria-controls") ?? "");
    if (panel) panel.hidden = other !== tab;
  }
}

/** @param {string | null | undefined} id */
function kitDialog(id) {
  const dialog = id ? document.getElementById(id) : null;
  return dialog instanceof HTMLDialogElement ? dialog : null;
}

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const control = target?.closest("[data-kit-post]");
  if (control && !(control instanceof HTMLInputElement)) void kitFlip(control);
  const tab = target?.closest(".kit-tabs [role=tab]");
  if (tab) kitSelectTab(tab);
  const opener = target?.closest("[data-kit-open]");
  if (opener) kitDialog(opener.getAttribute("data-kit-open"))?.showModal();
  if (target?.closest("[data-kit-close]")) target.closest("dialog")?.close();
});

document.addEventListener("change", (event) => {
  const box = event.target;
  if (!(box instanceof HTMLInputElement)) return;
  box.closest(".mat-base")?.classList.toggle("mat-checked", box.checked);
  if (box.hasAttribute("data-kit-post")) void kitFlip(box);
});

document.addEventListener("DOMContentLoaded", () => {
  for (const tab of document.querySelectorAll(".kit-tabs [aria-selected=true]")) kitSelectTab(tab);
  for (const dialog of document.querySelectorAll("dialog[data-kit-start-open]")) kitDialog(dialog.id)?.showModal();
});
