// @ts-check
/* The question of an everyday task: it stands over the page until a button decides it. */

const dialog = document.querySelector("dialog[data-kit-decision]");

if (dialog instanceof HTMLDialogElement) {
  let decided = false;
  // Escape decides nothing.
  dialog.addEventListener("close", () => { if (!decided) dialog.showModal(); });
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.addEventListener("click", async (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (!button) return;
    const ticked = [...dialog.querySelectorAll("input")].filter((box) => box.checked).map((box) => box.value);
    const reply = await fetch("/_decision", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ choice: button.value, boxes: ticked }),
    });
    // Read in any case: a reply that nobody reads keeps its request open.
    await reply.json();
    if (!reply.ok) return;
    decided = true;
    dialog.close();
    dialog.remove();
  });
  dialog.showModal();
}
