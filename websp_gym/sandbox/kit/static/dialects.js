// @ts-check
/*
 * Behaviour of the controls in kit/dialects.html: the web component, the client-side app, menus and folds.
 * Needs kit.js (kitPost, kitToast).
 */
"use strict";

(() => {
  // ---------------------------------------------------------------- web component
  class KitSwitch extends HTMLElement {
    connectedCallback() {
      if (this.shadowRoot) return;
      const root = this.attachShadow({ mode: "open" });
      const style = document.createElement("style");
      style.textContent = `
        :host { display: block; padding: 10px 0; }
        .row { display: flex; justify-content: space-between; gap: 16px; align-items: center; cursor: pointer; }
        small { display: block; opacity: .7; }
        button { width: 48px; height: 28px; border: 0; border-radius: 14px; padding: 3px; background: var(--kit-off, #9aa3ad); cursor: pointer; }
        button[aria-checked=true] { background: var(--kit-on, #ff4500); }
        button i { display: block; width: 22px; height: 22px; border-radius: 50%; background: #fff; transition: transform .12s; }
        button[aria-checked=true] i { transform: translateX(20px); }`;
      const row = document.createElement("label");
      row.className = "row";
      const text = document.createElement("span");
      text.id = "text";
      text.textContent = this.getAttribute("label");
      const note = document.createElement("small");
      note.textContent = this.getAttribute("note");
      this.button = document.createElement("button");
      this.button.type = "button";
      this.button.setAttribute("role", "switch");
      this.button.setAttribute("aria-label", this.getAttribute("label") ?? "");
      this.button.append(document.createElement("i"));
      this.button.addEventListener("click", () => void this.flip());
      if (note.textContent) text.append(note);
      row.append(text, this.button);
      root.append(style, row);
      this.draw();
    }

    draw() {
      this.button?.setAttribute("aria-checked", String(this.hasAttribute("checked")));
    }

    async flip() {
      const on = !this.hasAttribute("checked");
      const post = this.getAttribute("post");
      try {
        if (post) await kitPost(post, { [this.getAttribute("field") ?? ""]: on });
        this.toggleAttribute("checked", on);
        this.draw();
        this.dispatchEvent(new CustomEvent("kit-change", { bubbles: true, composed: true, detail: { on } }));
      } catch (error) {
        kitToast(error instanceof Error ? error.message : String(error));
      }
    }
  }
  customElements.define("kit-switch", KitSwitch);

  // ---------------------------------------------------------------- client-side app
  /**
   * @typedef {{field: string, label: string, note?: string, on: boolean}} Row
   * @typedef {{title: string, rows: Row[]}} Section
   */
  const salt = Math.random().toString(36).slice(2, 8);
  /** A class name as a bundler makes it: other at each load. */
  /** @type {(name: string) => string} */
  const hashed = (name) => {
    let sum = 7;
    for (const letter of name + salt) sum = (sum * 31 + letter.charCodeAt(0)) >>> 0;
    return `_${sum.toString(36)}`;
  };
  /** @type {(tag: string, className: string, ...children: (Node|string)[]) => HTMLElement} */
  const make = (tag, className, ...children) => {
    const element = document.createElement(tag);
    element.className = `${hashed(className)} kit-app-${className}`;
    element.append(...children);
    return element;
  };

  /** @param {HTMLElement} place */
  function app(place) {
    /** @type {Section[]} */
    const sections = JSON.parse(place.querySelector("script")?.textContent ?? "[]");
    const post = place.dataset.kitApp ?? "";
    let drawn = 0;
    const draw = () => {
      drawn++;
      place.replaceChildren(
        ...sections.map((section) => make("section", "section", make("h3", "title", section.title), ...section.rows.map(row))),
      );
    };
    /** @type {(data: Row) => HTMLElement} */
    const row = (data) => {
      const id = `:r${drawn}${hashed(data.field)}:`;
      const label = make("span", "label", data.label);
      label.id = id;
      const control = make("div", "switch", make("i", "knob"));
      control.tabIndex = 0;
      control.setAttribute("role", "switch");
      control.setAttribute("aria-checked", String(data.on));
      control.setAttribute("aria-labelledby", id);
      const flip = async () => {
        try {
          await kitPost(post, { [data.field]: !data.on });
          data.on = !data.on;
        } catch (error) {
          kitToast(error instanceof Error ? error.message : String(error));
        }
        draw();
      };
      control.addEventListener("click", () => void flip());
      control.addEventListener("keydown", (event) => {
        if (event.key !== " " && event.key !== "Enter") return;
        event.preventDefault();
        void flip();
      });
      const text = make("div", "text", label);
      if (data.note) text.append(make("small", "note", data.note));
      return make("div", "row", text, control);
    };
    requestAnimationFrame(draw);
  }

  // ---------------------------------------------------------------- what unfolds
  /** @param {Element} button */
  function unfold(button) {
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    const panel = document.getElementById(button.getAttribute("aria-controls") ?? "");
    if (panel) panel.hidden = !open;
  }
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const button = target?.closest("[data-kit-expand]");
    for (const other of document.querySelectorAll(".kit-click [data-kit-expand][aria-expanded=true]")) {
      if (other !== button) unfold(other);
    }
    if (button) unfold(button);
  });

  document.addEventListener("DOMContentLoaded", () => {
    for (const place of document.querySelectorAll("[data-kit-app]")) if (place instanceof HTMLElement) app(place);
  });
})();
