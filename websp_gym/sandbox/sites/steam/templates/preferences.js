// @ts-check
// Store preferences beyond the check boxes: word lists are added to, shown and cleared.

const { save, make, alert, confirm } = /** @type {StorePage} */ (/** @type {unknown} */ (globalThis)).steam;
const FAILED = "Your change could not be saved. Please try again later.";

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

/** @type {Record<string, string[]>} */
const lists = JSON.parse(byId("word_lists").textContent ?? "{}");
const KINDS = /** @type {Record<string, string>} */ ({ always_filter: "banned", never_filter: "clean" });

/** @param {string} name */
function showChips(name) {
  const chips = lists[name].map((word) => {
    const cross = make("button", { type: "button", class: "chip_delete", "aria-label": `Remove ${word}` });
    cross.addEventListener("click", () => void removeWord(name, word));
    return make("div", { class: "tag_downvoted" }, make("div", {}, make("span", {}, word), cross));
  });
  const empty = name in KINDS ? [make("p", { class: "no_words" }, "No custom words yet.")] : [];
  document.querySelector(`[data-chips=${name}]`)?.replaceChildren(...(chips.length ? chips : empty));
  byId("tag_count").textContent = String(lists.excluded_tags.length);
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

/**
 * @param {string} name
 * @param {string} typed One word, or several with commas between them.
 */
async function addWords(name, typed) {
  // The chat filter takes no notice of upper and lower case; tags are shown as they are written.
  const text = name in KINDS ? typed.toLowerCase() : typed;
  const known = new Set(lists[name].map((word) => word.toLowerCase()));
  const fresh = [];
  for (const word of text.split(",").map((part) => part.trim())) {
    if (word && !known.has(word.toLowerCase())) fresh.push(word);
    known.add(word.toLowerCase());
  }
  if (name === "excluded_tags" && lists[name].length + fresh.length > 10) {
    alert("Tags to exclude", "You can exclude at most ten tags.");
    return;
  }
  if (fresh.length) {
    if (!(await save(`/account/addwords/${name}`, { word: fresh.join(",") }))) {
      alert("Error", FAILED);
      return;
    }
    lists[name].push(...fresh);
    showChips(name);
  }
  // Whoever adds a word wants to see that it arrived.
  if (name in KINDS) setVisible(KINDS[name], true);
}

/**
 * @param {string} name
 * @param {string} word
 */
async function removeWord(name, word) {
  if (!(await save(`/account/removeword/${name}`, { word }))) {
    alert("Error", FAILED);
    return;
  }
  lists[name] = lists[name].filter((other) => other !== word);
  showChips(name);
}

/** @param {string} name */
function clearWords(name) {
  confirm("Clear custom words", "Do you really want to remove every word from this list?", () => {
    if (!lists[name].length) return;
    void save(`/account/clearwords/${name}`, {}).then((done) => {
      if (!done) return alert("Error", FAILED);
      lists[name] = [];
      return showChips(name);
    });
  });
}

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-words]"))) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const input = /** @type {HTMLInputElement} */ (form.querySelector("input"));
    void addWords(form.dataset.words ?? "", input.value);
    input.value = "";
  });
}

for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input[data-upload]"))) {
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    input.value = "";
    void file?.text().then((text) => addWords(input.dataset.upload ?? "", text.split(/\r?\n/).join(",")));
  });
}

for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-download]"))) {
  link.addEventListener("click", () => {
    const name = link.dataset.download ?? "";
    const address = URL.createObjectURL(new Blob([lists[name].join("\n")], { type: "text/plain" }));
    make("a", { href: address, download: `${KINDS[name]}_words.txt` }).click();
    URL.revokeObjectURL(address);
  });
}

for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-queue]"))) {
  button.addEventListener("click", () => {
    const note = /** @type {HTMLElement} */ (document.querySelector(".queue_note"));
    note.textContent = `Your ${button.dataset.queue} follows the content preferences above.`;
  });
}

Object.keys(lists).forEach(showChips);
Object.assign(globalThis, {
  ViewTitlesWithDescriptors: viewTitles,
  SetBannedWordsVisible: (/** @type {boolean} */ visible) => setVisible("banned", visible),
  SetCleanWordsVisible: (/** @type {boolean} */ visible) => setVisible("clean", visible),
  ClearWords: clearWords,
});

export {};
