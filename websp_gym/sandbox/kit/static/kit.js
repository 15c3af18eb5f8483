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
