// @ts-check
// What every page of the store shares: menus, dialogs, and the carousels of the front page.
"use strict";

/**
 * @typedef {object} Steam
 * @property {(title: string, text: string | Node) => void} alert Shows a dialog with one button.
 * @property {(tag: string, attributes?: Record<string, string>, ...children: (Node | string)[]) => HTMLElement} make
 *
 * @typedef {{steam: Steam}} StorePage The global object of a page of the store.
 */

(() => {
  /** @type {Steam["make"]} */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  // --- menus ---------------------------------------------------------------------------------------------------

  /** @type {{menu: HTMLElement, button: HTMLElement}[]} */
  let open = [];

  /** @param {Node | null} keep Menus that contain this node stay open. */
  function closeMenus(keep) {
    open = open.filter(({ menu, button }) => {
      if (keep && (menu.contains(keep) || button.contains(keep))) return true;
      menu.style.display = "none";
      if (button.hasAttribute("aria-expanded")) button.setAttribute("aria-expanded", "false");
      return false;
    });
  }

  /**
   * @param {HTMLElement} button
   * @param {string} id
   */
  function toggleMenu(button, id) {
    const menu = document.getElementById(id);
    if (!menu) return;
    if (open.some((entry) => entry.menu === menu)) {
      open = open.filter((entry) => entry.menu !== menu);
      menu.style.display = "none";
    } else {
      closeMenus(button);
      menu.style.display = "block";
      open.push({ menu, button });
    }
    if (button.hasAttribute("aria-expanded")) {
      button.setAttribute("aria-expanded", String(menu.style.display === "block"));
    }
  }

  document.addEventListener("click", (event) => closeMenus(/** @type {Node} */ (event.target)));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeMenus(null);
    const target = /** @type {HTMLElement} */ (event.target);
    // Spans and divs that act as buttons get the keyboard that a real button would bring along.
    if ((event.key === "Enter" || event.key === " ") && target.matches("[role=button]:not(button), [role=switch]")) {
      event.preventDefault();
      target.click();
    }
  });

  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("button[aria-controls]"))) {
    const id = button.getAttribute("aria-controls") ?? "";
    if (document.getElementById(id)?.matches(".popup_block_new")) {
      button.addEventListener("click", () => toggleMenu(button, id));
    }
  }

  const search = /** @type {HTMLInputElement | null} */ (document.querySelector("#searchform [name=term]"));
  const suggest = () => {
    const menu = /** @type {HTMLElement} */ (document.getElementById("search_suggestions"));
    const isOpen = open.some((entry) => entry.menu === menu);
    if (search && isOpen !== (search.value === "")) toggleMenu(search, menu.id);
  };
  search?.addEventListener("focus", suggest);
  search?.addEventListener("input", suggest);

  // --- dialogs -------------------------------------------------------------------------------------------------

  /**
   * @param {string} title
   * @param {string | Node} text
   * @param {[label: string, act: () => void][]} buttons
   * @param {() => void} closed Called when no button was pressed.
   */
  function dialog(title, text, buttons, closed = () => {}) {
    const before = document.activeElement;
    const close = () => {
      box.remove();
      shade.remove();
      document.removeEventListener("keydown", onKey);
      if (before instanceof HTMLElement) before.focus();
    };
    /** @param {KeyboardEvent} event */
    const onKey = (event) => {
      if (event.key === "Escape") dismiss();
    };
    const dismiss = () => {
      close();
      closed();
    };
    const cross = make("button", { type: "button", class: "newmodal_close", "aria-label": "Close" });
    const row = make("div", { class: "newmodal_buttons" });
    for (const [label, act] of buttons) {
      const button = make("button", { type: "button", class: "btn_grey_steamui btn_medium" }, make("span", {}, label));
      button.addEventListener("click", () => {
        close();
        act();
      });
      row.append(button);
    }
    cross.addEventListener("click", dismiss);
    const shade = make("div", { class: "newmodal_background" });
    const box = make(
      "div",
      { class: "newmodal", role: "dialog", "aria-modal": "true", "aria-label": title },
      make("div", { class: "modal_top_bar" }),
      make("div", { class: "newmodal_header" }, make("div", { class: "title_text" }, title), cross),
      make("div", { class: "newmodal_content_border" }, make("div", { class: "newmodal_content" }, text, row)),
    );
    document.body.append(shade, box);
    document.addEventListener("keydown", onKey);
    /** @type {HTMLElement} */ (row.firstElementChild).focus();
  }

  // --- front page ----------------------------------------------------------------------------------------------

  for (const carousel of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".carousel"))) {
    const pages = [...carousel.querySelectorAll(".carousel_page")];
    const dots = [...carousel.querySelectorAll(".carousel_dots button")];
    let shown = 0;
    /** @param {number} wanted */
    const show = (wanted) => {
      shown = (wanted + pages.length) % pages.length;
      pages.forEach((page, place) => page.classList.toggle("shown", place === shown));
      dots.forEach((dot, place) => dot.setAttribute("aria-current", String(place === shown)));
    };
    carousel.querySelector(".arrow.left")?.addEventListener("click", () => show(shown - 1));
    carousel.querySelector(".arrow.right")?.addEventListener("click", () => show(shown + 1));
    dots.forEach((dot, place) => dot.addEventListener("click", () => show(place)));
  }

  const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".home_tabs [role=tab]")]);
  for (const tab of tabs) {
    tab.addEventListener("click", () => {
      for (const other of tabs) {
        other.setAttribute("aria-selected", String(other === tab));
        const panel = document.getElementById(other.getAttribute("aria-controls") ?? "");
        if (panel) panel.hidden = other !== tab;
      }
    });
  }
  const filters = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll(".top_sellers_filter input"));
  const filter = () => {
    const freeToPlay = /** @type {HTMLInputElement} */ (document.getElementById("top_sellers_f2p_check")).checked;
    const list = /** @type {HTMLElement} */ (document.getElementById("tab_topsellers_content"));
    list.classList.toggle("without_f2p", !freeToPlay);
  };
  for (const box of filters) box.addEventListener("change", filter);

  /** @type {Steam} */
  const steam = {
    make,
    alert: (title, text) => dialog(title, text, [["OK", () => {}]]),
  };
  Object.assign(globalThis, {
    steam,
    // How the kit asks and tells (see questions.js).
    kitAsk: (/** @type {{title: string, text: string, accept: string, decline: string}} */ { title, text, accept, decline }) =>
      new Promise((resolve) => {
        dialog(title, text, [[accept, () => resolve(true)], [decline, () => resolve(false)]], () => resolve(false));
      }),
    kitFail: (/** @type {string} */ text, /** @type {string} */ title = "Error") => steam.alert(title, text),
    ShowMenu: toggleMenu,
    Logout: () => /** @type {HTMLFormElement} */ (document.getElementById("logout_form")).submit(),
  });
})();
