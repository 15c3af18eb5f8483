// @ts-check
"use strict";

// The timeline of one episode. All data comes from the JSON block of the page and is shown only as text.

(() => {
  /**
   * @typedef {{number: number, role: string, name: string, state: string, value: string, href: string,
   *   box: [number, number, number, number]}} Mark
   * @typedef {{number: number, action: string, reply: string, thought: string, error: string, counted: boolean,
   *   seconds: number, target: string}} Action
   * @typedef {{number: number, url: string, title: string, tabs: string[], picture: number | null,
   *   missing: string, width: number, height: number, marks: Mark[], layer: string, done: Action | null, next: Action | null,
   *   target: number | null}} Frame
   */

  const { find, make } = nodes;

  /**
   * @template {keyof SVGElementTagNameMap} K
   * @param {K} tag
   * @param {Record<string, string | number>} attributes
   * @param {...(string | Node)} children
   * @returns {SVGElementTagNameMap[K]}
   */
  const draw = (tag, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    element.append(...children);
    return element;
  };

  /** @param {Mark} mark */
  const describe = (mark) => `${mark.role}${mark.name ? ` “${mark.name}”` : ""}${mark.state ? ` (${mark.state})` : ""}`;

  /** @type {{pictures: string[], frames: Frame[]}} */
  const data = JSON.parse(find("#data", HTMLScriptElement).textContent ?? "");
  const { pictures, frames } = data;

  const allSettings = document.querySelector("#all-settings");
  allSettings?.addEventListener("change", () => {
    document.querySelector("#diff")?.classList.toggle("all", /** @type {HTMLInputElement} */ (allSettings).checked);
  });

  document.addEventListener("keydown", (event) => {
    // In a frame of the report's page, this frame receives the key that closes it.
    if (event.key === "Escape" && parent !== window) parent.postMessage("websp:close", "*");
  });

  if (!frames.length) return;

  const player = find("#player", HTMLElement);
  const strip = find("#player .strip", HTMLElement);
  const links = /** @type {HTMLAnchorElement[]} */ ([...strip.querySelectorAll("a.step")]);
  const screen = find("#screen", HTMLElement);
  const shot = find("#shot", HTMLImageElement);
  const missing = find("#missing", HTMLElement);
  const layer = find("#layer", HTMLImageElement);
  const overlay = find("#marks", SVGSVGElement);
  const tip = find("#tip", HTMLElement);
  const showMarks = find("#show-marks", HTMLInputElement);
  const elements = find("#elements", HTMLDetailsElement);
  const list = find("ul", HTMLUListElement, elements);
  const filter = find("#filter", HTMLInputElement);
  const back = find("#back", HTMLButtonElement);
  const forward = find("#forward", HTMLButtonElement);

  let current = 0;

  // --- the picture and its marks ---------------------------------------------------------------------

  /** @param {Frame} frame */
  function showScreen(frame) {
    screen.style.setProperty("--ratio", String(frame.width / frame.height));
    shot.hidden = frame.picture === null;
    missing.hidden = frame.picture !== null;
    missing.textContent = `No screenshot: ${frame.missing}`;
    if (frame.picture === null) {
      shot.removeAttribute("src");
    } else {
      shot.src = pictures[frame.picture];
    }
    layer.hidden = frame.layer === "";
    if (frame.layer) layer.src = frame.layer;
    shot.alt = `Screenshot of ${frame.title || frame.url}`;
    overlay.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
    // Small boxes last, so that the pointer reaches a box inside another one.
    const order = [...frame.marks].sort((a, b) => b.box[2] * b.box[3] - a.box[2] * a.box[3]);
    overlay.replaceChildren(...order.map((mark) => drawMark(mark, mark.number === frame.target)));
    const target = overlay.querySelector(".target");
    if (target) overlay.append(target);
  }

  /**
   * Draw the target of the pointer; the visible boxes and numbers are in the layer on top, as the agent saw them.
   * @param {Mark} mark
   * @param {boolean} isTarget
   */
  function drawMark(mark, isTarget) {
    const [x, y, width, height] = mark.box;
    return draw(
      "g",
      { class: isTarget ? "mark target" : "mark", "data-number": String(mark.number) },
      draw("rect", { class: "halo", x: x - 3, y: y - 3, width: width + 6, height: height + 6, rx: 4 }),
      draw("rect", { class: "box", x, y, width, height }),
    );
  }

  /** @param {Mark | undefined} mark */
  function point(mark) {
    for (const lit of player.querySelectorAll(".lit")) lit.classList.remove("lit");
    tip.hidden = mark === undefined || !showMarks.checked;
    if (!mark) return;
    for (const one of player.querySelectorAll(`[data-number="${mark.number}"]`)) one.classList.add("lit");
    const frame = frames[current];
    const [x, y, width, height] = mark.box;
    tip.replaceChildren(make("b", "", `[${mark.number}] ${mark.role}`), ` ${mark.name || "without a name"}`);
    if (mark.state) tip.append(make("span", "state", mark.state));
    if (mark.value) tip.append(make("span", "", `value: ${mark.value}`));
    if (mark.href) tip.append(make("span", "href", mark.href));
    // Keep the tip inside the picture: below and right of the mark if there is room.
    const high = y + height / 2 < frame.height * 0.6;
    const left = x + width / 2 < frame.width * 0.6;
    tip.style.top = high ? `${((y + height) / frame.height) * 100}%` : "auto";
    tip.style.bottom = high ? "auto" : `${(1 - y / frame.height) * 100}%`;
    tip.style.left = left ? `${Math.max(0, x / frame.width) * 100}%` : "auto";
    tip.style.right = left ? "auto" : `${Math.max(0, 1 - (x + width) / frame.width) * 100}%`;
  }

  /** @param {Event} event */
  function pointed(event) {
    const element = event.target instanceof Element ? event.target.closest("[data-number]") : null;
    const number = Number(element?.getAttribute("data-number") ?? NaN);
    point(frames[current].marks.find((mark) => mark.number === number));
  }

  // --- beside the picture ----------------------------------------------------------------------------

  /**
   * @param {HTMLElement} place
   * @param {string} heading
   * @param {Action | null} action
   * @param {string} otherwise
   */
  function showAction(place, heading, action, otherwise) {
    place.replaceChildren(make("h3", "", action ? `${heading} · action ${action.number}` : heading));
    if (!action) {
      place.append(make("p", "quiet", otherwise));
      return;
    }
    if (action.thought) place.append(make("p", "thought", action.thought));
    place.append(make("p", "action", make("code", "", action.action)));
    if (action.target) place.append(make("p", "aim", `→ ${action.target}`));
    if (action.error) place.append(make("p", "failure", make("b", "", "Error"), ` ${action.error}`));
    if (action.reply) {
      place.append(make("details", "reply", make("summary", "", "whole reply"), make("pre", "", action.reply)));
    }
    const cost = action.counted ? "" : " · free, not counted";
    place.append(make("p", "quiet small", `${action.seconds.toFixed(2)} s${cost}`));
  }

  /** @param {Frame} frame */
  function showTabs(frame) {
    const tabs = find("#tabs", HTMLDetailsElement);
    const active = frame.tabs.indexOf(frame.url);
    find("summary", HTMLElement, tabs).textContent = `Tabs (${frame.tabs.length})`;
    find("ul", HTMLUListElement, tabs).replaceChildren(
      ...frame.tabs.map((url, index) => make("li", index === active ? "active" : "", url)),
    );
  }

  /** @param {Frame} frame */
  function showElements(frame) {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    /** @param {Mark} mark */
    const wanted = (mark) => {
      const text = `[${mark.number}] ${describe(mark)} ${mark.value} ${mark.href}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const found = frame.marks.filter(wanted);
    const count = words.length ? `${found.length} of ${frame.marks.length}` : String(frame.marks.length);
    find("summary", HTMLElement, elements).textContent = `Marked elements (${count})`;
    list.replaceChildren(...found.map((mark) => elementRow(mark, mark.number === frame.target)));
    const numbers = new Set(found.map((mark) => String(mark.number)));
    for (const group of overlay.querySelectorAll(".mark")) {
      group.classList.toggle("found", words.length > 0 && numbers.has(group.getAttribute("data-number") ?? ""));
    }
    const target = list.querySelector(".target");
    list.scrollTop = target instanceof HTMLElement ? target.offsetTop - list.clientHeight / 2 : 0;
  }

  /**
   * @param {Mark} mark
   * @param {boolean} isTarget
   */
  function elementRow(mark, isTarget) {
    const about = make("div", "", make("i", "", mark.role), " ", make("span", "", mark.name));
    if (mark.state) about.append(" ", make("span", "state", mark.state));
    const row = make("button", isTarget ? "target" : "", make("b", "", String(mark.number)), about);
    row.setAttribute("type", "button");
    row.setAttribute("data-number", String(mark.number));
    if (isTarget) row.title = "Target of the next action";
    return make("li", "", row);
  }

  // --- moving ----------------------------------------------------------------------------------------

  /** @param {number} index */
  function show(index) {
    current = Math.min(Math.max(index, 0), frames.length - 1);
    const frame = frames[current];
    point(undefined);
    showScreen(frame);
    showAction(find("#done", HTMLElement), "Before this screenshot", frame.done, "The agent starts here, in S0.");
    showAction(find("#next", HTMLElement), "Next", frame.next, "This is the last observation.");
    showTabs(frame);
    showElements(frame);
    find("#page-title", HTMLElement).textContent = frame.title;
    find("#url", HTMLElement).textContent = frame.url;
    const last = frames[frames.length - 1].number;
    find("#where", HTMLElement).textContent = frame.number === 0 ? `Start, ${last} to come` : `Step ${frame.number} of ${last}`;
    back.disabled = current === 0;
    forward.disabled = current === frames.length - 1;
    links.forEach((link, at) => {
      if (at === current) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    keepInStrip(links[current]);
  }

  /**
   * Scroll only the strip; scrollIntoView would scroll the page too.
   * @param {HTMLElement} link
   */
  function keepInStrip(link) {
    const outer = strip.getBoundingClientRect();
    const inner = link.getBoundingClientRect();
    if (inner.top < outer.top) strip.scrollTop -= outer.top - inner.top + 8;
    else if (inner.bottom > outer.bottom) strip.scrollTop += inner.bottom - outer.bottom + 8;
    if (inner.left < outer.left) strip.scrollLeft -= outer.left - inner.left + 8;
    else if (inner.right > outer.right) strip.scrollLeft += inner.right - outer.right + 8;
  }

  /** @param {number} index */
  function go(index) {
    show(index);
    history.replaceState(null, "", `#step-${frames[current].number}`);
    if (strip.contains(document.activeElement)) links[current].focus({ preventScroll: true });
    const place = player.getBoundingClientRect();
    if (place.top > innerHeight * 0.6 || place.bottom < innerHeight * 0.4) player.scrollIntoView({ block: "nearest" });
  }

  /** Return the index of the observation that the address names; -1 if it names none. */
  function addressed() {
    const number = Number(/^#step-(\d+)$/.exec(location.hash)?.[1] ?? NaN);
    return frames.findIndex((frame) => frame.number === number);
  }

  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => go(current - 1),
    ArrowRight: () => go(current + 1),
    k: () => go(current - 1),
    j: () => go(current + 1),
    m: () => showMarks.click(),
  };
  /** @type {Record<string, () => void>} */
  const stripKeys = {
    ArrowUp: () => go(current - 1),
    ArrowDown: () => go(current + 1),
    Home: () => go(0),
    End: () => go(frames.length - 1),
  };

  document.addEventListener("keydown", (event) => {
    const at = event.target instanceof Element ? event.target : document.body;
    const typing = at.matches("input:not([type=checkbox]), textarea, select");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keys[event.key] ?? (strip.contains(at) ? stripKeys[event.key] : undefined);
    if (!act) return;
    event.preventDefault();
    act();
  });
  addEventListener("hashchange", () => {
    // The address of a policy leaves the step as it is.
    if (location.hash.startsWith("#policy-")) return;
    show(addressed());
    player.scrollIntoView({ block: "nearest" });
  });
  back.addEventListener("click", () => go(current - 1));
  forward.addEventListener("click", () => go(current + 1));
  const toggleMarks = () => screen.classList.toggle("plain", !showMarks.checked);
  showMarks.addEventListener("change", toggleMarks);
  toggleMarks();
  filter.addEventListener("input", () => showElements(frames[current]));
  for (const place of [overlay, list]) {
    place.addEventListener("pointerover", pointed);
    place.addEventListener("pointerleave", () => point(undefined));
  }
  list.addEventListener("focusin", pointed);
  list.addEventListener("focusout", () => point(undefined));

  show(addressed());
})();
