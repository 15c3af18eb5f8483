// @ts-check
// The word lists of the store preferences beyond adding and removing, and what looks like a setting and is none.

const { make, alert } = /** @type {StorePage} */ (/** @type {unknown} */ (globalThis)).steam;

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

const examples = new Map([
  ["5", ["Mute Harbor", "Vermilion Static", "Brinefall"]],
  ["2", ["Cinderbough", "Thornfield Duel"]],
]);

/** @param {number} row */
function viewTitles(row) {
  const titles = examples.get(String(row));
  alert("Example Products", titles ? titles.join(", ") : "No product of this catalog carries this descriptor.");
}

/**
 * @param {string} kind
 * @param {boolean} visible
 */
function setVisible(kind, visible) {
  byId(`text_filter_show_${kind}_words`).hidden = visible;
  byId(`text_filter_hide_${kind}_words`).hidden = !visible;
  byId(`text_filter_${kind}_words_list`).hidden = !visible;
}

for (const [list, kind] of [["always_filter", "banned"], ["never_filter", "clean"]]) {
  const place = /** @type {HTMLElement} */ (document.querySelector(`[data-kit-items=${list}]`));
  // Whoever adds a word wants to see that it arrived.
  place.addEventListener("kit-items", () => setVisible(kind, true));
  const upload = /** @type {HTMLInputElement} */ (place.querySelector("[data-upload]"));
  upload.addEventListener("change", async () => {
    const [file] = upload.files ?? [];
    upload.value = "";
    const form = /** @type {HTMLFormElement} */ (place.querySelector("form"));
    /** @type {HTMLInputElement} */ (form.querySelector("[name=word]")).value = (await file?.text() ?? "").split(/\r?\n/).join(",");
    form.requestSubmit();
  });
  const download = /** @type {HTMLElement} */ (place.querySelector("[data-download]"));
  download.addEventListener("click", () => {
    const words = [...place.querySelectorAll("[data-kit-item]")].map((item) => item.textContent?.trim());
    const address = URL.createObjectURL(new Blob([words.join("\n")], { type: "text/plain" }));
    make("a", { href: address, download: download.dataset.download ?? "" }).click();
    URL.revokeObjectURL(address);
  });
}

for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-queue]"))) {
  button.addEventListener("click", () => {
    const note = /** @type {HTMLElement} */ (document.querySelector(".queue_note"));
    note.textContent = `Your ${button.dataset.queue} follows the content preferences above.`;
  });
}

Object.assign(globalThis, {
  ViewTitlesWithDescriptors: viewTitles,
  SetBannedWordsVisible: (/** @type {boolean} */ visible) => setVisible("banned", visible),
  SetCleanWordsVisible: (/** @type {boolean} */ visible) => setVisible("clean", visible),
});

export {};
