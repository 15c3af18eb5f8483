// @ts-check
/*
 * The custom elements that do something of their own: a switch that moves when it or its label is pressed, the search field, and
 * the one modal of a settings tab, which gets the choices of the row that opens it. Saving and all else is the kit's panel.js.
 */
{
  /** Form-associated, so that a click on its label is one on the switch. */
  class SwitchInput extends HTMLElement {
    static formAssociated = true;

    constructor() {
      super();
      this.addEventListener("click", () => {
        if (this.ariaDisabled !== "true") this.setAttribute("aria-checked", String(this.ariaChecked !== "true"));
      });
    }
  }

  class SearchInput extends HTMLElement {
    connectedCallback() {
      const field = this.shadowRoot?.querySelector("input");
      field?.addEventListener("keydown", ({ key }) => { if (key === "Enter") location.assign(`/search/?q=${encodeURIComponent(field.value)}`); });
    }
  }
  customElements.define("faceplate-switch-input", SwitchInput);
  customElements.define("faceplate-search-input", SearchInput);

  document.addEventListener("click", (event) => {
    const [target] = event.composedPath();
    const button = target instanceof Element ? target.closest("button") : null;
    if (button?.id === "navbar-menu-button") button.ariaExpanded = String(document.documentElement.classList.toggle("rail-open"));
    if (!button?.dataset.choices) return;
    const dialog = /** @type {ShadowRoot} */ (button.getRootNode()).querySelector("dialog");
    const menu = dialog?.querySelector("faceplate-menu");
    const title = dialog?.querySelector("h3");
    if (!dialog || !menu || !title) return;
    const { key = "", label = "", choices, notes = "{}" } = button.dataset;
    const now = button.parentElement?.previousElementSibling?.textContent;
    const about = JSON.parse(notes);
    title.textContent = dialog.ariaLabel = label;
    menu.setAttribute("aria-label", label);
    menu.replaceChildren(...JSON.parse(choices).map(/** @param {[string, string]} entry */ ([choice, text]) => {
      const line = document.createElement("li");
      const field = Object.assign(document.createElement("input"), { type: "radio", name: "choice", value: choice, checked: text === now, ariaLabel: text });
      Object.assign(field.dataset, { key, option: choice, picks: "" });
      const [what, name, note] = ["div", "span", "small"].map((tag) => document.createElement(tag));
      name.textContent = text;
      note.textContent = about[choice] ?? "";
      what.append(name, note);
      line.append(field, what);
      return line;
    }));
    dialog.showModal();
  });
}
