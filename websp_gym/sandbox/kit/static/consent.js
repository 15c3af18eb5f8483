// @ts-check
/*
 * Cookie consent. What it needs to know stands in <script type="application/json" id="consent-config">; what it
 * works on is marked in the page:
 *   data-consent="open|close|confirm|accept|reject"  on buttons and links
 *   data-consent-center                              the preference centre, hidden until it is opened
 *   data-consent-banner                              the notice, gone once something was decided
 *   data-consent-group="C0002"                       a check box or an ARIA switch for that kind of cookies
 *   data-consent-frame                               an iframe that holds the centre; it reports to this page
 * Nothing is decided until a button says so: closing the centre forgets what was switched in it.
 */
"use strict";

(() => {
  /**
   * @typedef {{id: string, key: string, label: string, text: string, always: boolean, on: boolean, trackers: string[]}} Kind
   * @typedef {{choice: string, groups: Kind[]}} Decided
   */
  const config = JSON.parse(document.getElementById("consent-config")?.textContent ?? "null");
  if (!config) return;
  /** @type {Decided} */
  let decided = config.consent;
  const inFrame = window.parent !== window;

  /** @type {(selector: string) => HTMLElement[]} */
  const every = (selector) => [...document.querySelectorAll(selector)].filter((found) => found instanceof HTMLElement);
  /** @type {(control: Element) => boolean} */
  const isOn = (control) => (control instanceof HTMLInputElement ? control.checked : control.getAttribute("aria-checked") === "true");
  /** @type {(control: Element, on: boolean) => void} */
  const turn = (control, on) => {
    if (control instanceof HTMLInputElement) control.checked = on;
    if (control.hasAttribute("aria-checked")) control.setAttribute("aria-checked", String(on));
  };

  // ---------------------------------------------------------------- showing
  /** The controls say what has been decided; whatever was switched since is forgotten. */
  const restore = () => {
    for (const kind of decided.groups) {
      for (const control of every(`[data-consent-group="${CSS.escape(kind.id)}"]`)) turn(control, kind.on);
    }
  };
  /** @type {Element|null} */
  let opener = null;
  /** @type {(shown: boolean) => void} */
  const showCenter = (shown) => {
    if (shown) restore();
    for (const center of every("[data-consent-center]")) {
      center.hidden = !shown;
      center.classList.toggle("ot-hide", !shown);
    }
    document.documentElement.classList.toggle("consent-open", shown);
    const dialog = document.querySelector("[data-consent-center] [role=dialog], dialog[data-consent-center]");
    if (shown && dialog instanceof HTMLElement) dialog.focus({ preventScroll: true });
    if (!shown && opener instanceof HTMLElement) opener.focus({ preventScroll: true });
  };
  const showBanner = () => {
    for (const banner of every("[data-consent-banner]")) banner.hidden = decided.choice !== "none";
  };
  /** @type {() => HTMLIFrameElement|null} */
  const frame = () => document.querySelector("iframe[data-consent-frame]");
  /** @type {(shown: boolean) => void} */
  const show = (shown) => {
    const inner = frame();
    if (!inner) { showCenter(shown); return; }
    // The frame is loaded anew each time, with what has been decided until then.
    if (shown) inner.src = inner.dataset.consentFrame ?? "";
    else inner.removeAttribute("src");
    inner.hidden = !shown;
    for (const around of every("[data-consent-around]")) around.hidden = !shown;
    document.documentElement.classList.toggle("consent-open", shown);
  };

  // ---------------------------------------------------------------- deciding
  /** @type {(choice: string, groups?: Record<string, boolean>) => Promise<void>} */
  const decide = async (choice, groups) => {
    const reply = await fetch("/_consent", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ choice, groups }),
    });
    // Read in any case: a reply that nobody reads keeps its request open.
    const said = await reply.json();
    if (!reply.ok) throw new Error(`the choice was refused: HTTP ${reply.status}`);
    took(said);
  };
  /** @type {(answer: Decided) => void} */
  const took = (answer) => {
    decided = answer;
    showBanner();
    show(false);
    if (inFrame) window.parent.postMessage({ consent: decided }, "*");
    document.dispatchEvent(new CustomEvent("consent-decided", { detail: decided }));
  };
  const chosen = () => {
    /** @type {Record<string, boolean>} */
    const groups = {};
    for (const kind of decided.groups) {
      const control = document.querySelector(`[data-consent-group="${CSS.escape(kind.id)}"]`);
      if (control && !kind.always) groups[kind.id] = isOn(control);
    }
    return groups;
  };

  /** @type {Record<string, (from: Element) => void>} */
  const deeds = {
    open: (from) => { opener = from; show(true); },
    close: () => (inFrame ? window.parent.postMessage({ consent: "close" }, "*") : show(false)),
    confirm: () => void decide("custom", chosen()),
    accept: () => void decide("accept_all"),
    reject: () => void decide("reject_all"),
  };
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const control = target?.closest("[data-consent-group][role=switch]");
    if (control && !(control instanceof HTMLInputElement) && !control.hasAttribute("aria-disabled")) turn(control, !isOn(control));
    if (control instanceof HTMLInputElement && control.hasAttribute("aria-checked")) control.setAttribute("aria-checked", String(control.checked));
    const button = target?.closest("[data-consent]");
    const deed = deeds[button?.getAttribute("data-consent") ?? ""];
    if (button && deed) { event.preventDefault(); deed(button); }
    const accordion = target?.closest("[data-consent-accordion]");
    if (accordion) accordion.setAttribute("aria-expanded", String(accordion.getAttribute("aria-expanded") !== "true"));
    const tab = target?.closest("[data-consent-tabs] [role=tab]");
    if (tab) choose(tab);
  });
  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (event.key === "Escape" && document.documentElement.classList.contains("consent-open")) show(false);
    const tab = target?.closest("[data-consent-tabs] [role=tab]");
    const operated = event.key === " " || event.key === "Enter";
    if (tab && operated) { event.preventDefault(); choose(tab); }
    const control = target?.closest("[data-consent-group][role=switch]");
    if (control && operated && !(control instanceof HTMLButtonElement) && !(control instanceof HTMLInputElement)) {
      event.preventDefault();
      turn(control, !isOn(control));
    }
  });
  window.addEventListener("message", (event) => {
    const from = frame();
    if (!from || event.source !== from.contentWindow || !event.data?.consent) return;
    if (event.data.consent === "close") { show(false); return; }
    took(event.data.consent);
    keepCookie();
  });
  /** What the other host set is a third party's cookie here, and refused; the page keeps one of its own. */
  const keepCookie = () => {
    const groups = decided.groups.map((kind) => `${kind.id}:${Number(kind.on)}`).join(",");
    document.cookie = `${config.cookie}=${encodeURIComponent(`groups=${groups}`)}; path=/; max-age=31536000; secure; samesite=lax`;
  };

  /** One panel at a time. */
  /** @type {(tab: Element) => void} */
  const choose = (tab) => {
    for (const other of tab.closest("[data-consent-tabs]")?.querySelectorAll("[role=tab]") ?? []) {
      const mine = other === tab;
      other.setAttribute("aria-selected", String(mine));
      other.classList.toggle("ot-active-menu", mine);
      const panel = document.getElementById(other.getAttribute("aria-controls") ?? "");
      if (panel) panel.hidden = !mine;
    }
  };

  // ---------------------------------------------------------------- trackers
  const report = () => {
    for (const kind of decided.groups) {
      for (const host of kind.trackers) {
        const query = new URLSearchParams({ site: config.site, group: kind.id, page: location.pathname });
        new Image().src = `https://${host}/c.gif?${query}`;
      }
    }
  };

  restore();
  showBanner();
  if (!inFrame) report();
})();
