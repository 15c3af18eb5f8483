// @ts-check
"use strict";

// The list of episodes and the trajectories. All data comes from blocks of the page and is shown only as text.

(() => {
  /**
   * @typedef {{id: string, agent: string, instruction: string, site: string, category: string, state: string,
   *   elements: string[], outcome: string, kinds: string[], broken: string[], kept: string, first: boolean, pairs: Record<string, string>,
   *   end: string | null, source: string, trial: number, steps: number, actions: number, seconds: number,
   *   cost: number | null, failure_elements: string[], side_effects: string[], reason: string, error: string | null,
   *   page: number | null, missing: string, text: string}} Episode
   * @typedef {{episode: Episode, at: number, haystack: string}} Entry
   */

  const { find, make } = nodes;

  /** Rows shown at a time. */
  const SOME = 200;
  /** @type {Record<string, string>} */
  const WORDS = { without_navigation: "without navigation", with_navigation: "with navigation" };
  /** @type {Record<string, Record<string, string>>} */
  const PAIRS = {
    wording: {
      both: "solved with both instructions", first: "solved only with navigation",
      second: "solved only without navigation", neither: "solved with neither instruction",
    },
    states: {
      both: "solved from ON and from OFF", first: "solved only from ON", second: "solved only from OFF",
      neither: "solved from neither state",
    },
  };

  /** @type {{episodes: Episode[], groups: Record<string, string[]>}} */
  const data = JSON.parse(find("#data", HTMLScriptElement).textContent ?? "");
  /** @type {Entry[]} */
  const entries = data.episodes.map((episode, at) => ({ episode, at, haystack: haystack(episode) }));

  const form = find("#filters", HTMLFormElement);
  const search = find("#search", HTMLInputElement);
  const list = find("#list", HTMLTableSectionElement);
  const more = find("#more", HTMLButtonElement);
  const selects = [...form.querySelectorAll("select")];
  const headings = [...document.querySelectorAll("th[data-column]")];

  const several = headings.some((heading) => heading.getAttribute("data-column") === "instruction");

  /** @type {Record<string, string>} */
  let filters = {};
  let sorted = { by: "", down: false };
  /** @type {Entry[]} */
  let shown = [];
  let limit = SOME;

  // --- filters ---------------------------------------------------------------------------------------

  /** @param {Episode} episode */
  function haystack(episode) {
    const { id, agent, site, category, kinds, reason, error, side_effects: effects, text } = episode;
    return [id, agent, site, category, ...kinds, reason, error ?? "", ...effects, text].join("\n").toLowerCase();
  }

  /** @type {Record<string, (episode: Episode, wanted: string) => boolean>} */
  const TESTS = {
    agent: (episode, wanted) => episode.agent === wanted,
    site: (episode, wanted) => episode.site === wanted,
    category: (episode, wanted) => episode.category === wanted,
    instruction: (episode, wanted) => episode.instruction === wanted,
    state: (episode, wanted) => episode.state === wanted,
    element: (episode, wanted) => episode.elements.includes(wanted),
    outcome: (episode, wanted) => (data.groups[wanted] ?? [wanted]).includes(episode.outcome),
    kind: (episode, wanted) => (wanted === "none" ? !episode.kinds.length : episode.kinds.includes(wanted)),
    policy: (episode, wanted) => episode.broken.includes(wanted),
    effects: (episode, wanted) => (wanted === "yes") === episode.side_effects.length > 0,
    trial: (episode, wanted) => (wanted === "first") === episode.first,
    page: (episode, wanted) => (wanted === "yes") === (episode.page !== null),
    wording: (episode, wanted) => episode.first && episode.pairs.wording === wanted,
    states: (episode, wanted) => episode.first && episode.pairs.states === wanted,
  };

  /** @param {Entry} entry */
  function wanted(entry) {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    return Object.entries(filters).every(([name, value]) => TESTS[name](entry.episode, value))
      && words.every((word) => entry.haystack.includes(word));
  }

  /** @param {Record<string, string>} wantedOnes */
  function filterBy(wantedOnes) {
    filters = wantedOnes;
    for (const select of selects) {
      const value = filters[select.dataset.filter ?? ""] ?? "";
      // A cell may count a value that no episode has: then the list is empty.
      if (![...select.options].some((option) => option.value === value)) select.add(new Option(value, value));
      select.value = value;
      select.classList.toggle("on", value !== "");
    }
    showPairs();
    update();
  }

  /** Show the filters without a select, which only cells of a table set. */
  function showPairs() {
    const place = find("#pairs", HTMLElement);
    const names = Object.keys(PAIRS).filter((name) => filters[name]);
    place.hidden = !names.length;
    place.replaceChildren(...names.map((name) => {
      const text = `Scored in both cases and ${PAIRS[name][filters[name]]} `;
      const drop = make("button", "", "×");
      drop.type = "button";
      drop.setAttribute("aria-label", "Drop this filter");
      drop.addEventListener("click", () => {
        const { [name]: _, ...rest } = filters;
        filterBy(rest);
      });
      return make("span", "", text, drop);
    }));
  }

  // --- the list --------------------------------------------------------------------------------------

  /** @type {Record<string, (episode: Episode) => string | number>} */
  const COLUMNS = {
    outcome: (episode) => `${episode.outcome} ${episode.broken.length ? "broken" : ""}`,
    id: (episode) => episode.id,
    agent: (episode) => episode.agent,
    instruction: (episode) => episode.instruction,
    trial: (episode) => episode.trial,
    actions: (episode) => episode.actions,
    seconds: (episode) => episode.seconds,
    why: (episode) => why(episode),
  };

  /** @param {Episode} episode */
  const why = (episode) => episode.error ?? episode.reason;

  /**
   * @param {Entry} a
   * @param {Entry} b
   */
  function compare(a, b) {
    const [x, y] = [a, b].map((entry) => COLUMNS[sorted.by](entry.episode));
    const order = typeof x === "number" && typeof y === "number"
      ? x - y
      : String(x).localeCompare(String(y), "en", { numeric: true });
    return (sorted.down ? -order : order) || a.at - b.at;
  }

  function update() {
    shown = entries.filter(wanted);
    if (sorted.by) shown.sort(compare);
    limit = SOME;
    render();
  }

  function render() {
    const some = shown.slice(0, limit);
    list.replaceChildren(...some.map(row));
    find("#count", HTMLElement).textContent = `${shown.length} of ${entries.length}`;
    more.hidden = some.length === shown.length;
    more.textContent = `Show ${Math.min(SOME, shown.length - some.length)} more`;
    for (const heading of headings) {
      const own = heading.getAttribute("data-column") === sorted.by;
      if (own) heading.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    }
  }

  /** @param {Entry} entry */
  function row({ episode, at }) {
    const name = make("th");
    name.scope = "row";
    name.append(episode.page === null ? episode.id : link(episode, at));
    if (episode.page === null) {
      const note = make("small", "quiet", " not in this page");
      note.title = episode.missing;
      name.append(note);
    }
    return make(
      "tr", "",
      outcome(episode),
      name,
      make("td", "agent", episode.agent),
      ...(several ? [make("td", "instruction", WORDS[episode.instruction] ?? episode.instruction)] : []),
      make("td", "figure trial", String(episode.trial)),
      make("td", "figure actions", String(episode.actions)),
      make("td", "figure seconds", Number(episode.seconds).toFixed(1)),
      make("td", "why", reasons(episode)),
    );
  }

  /** @param {Episode} episode */
  function outcome(episode) {
    const cell = make("td", `outcome ${episode.outcome}`, episode.outcome);
    if (episode.kept) cell.append(make("small", episode.broken.length ? "broken" : "", episode.kept));
    return cell;
  }

  /**
   * @param {Episode} episode
   * @param {number} at
   */
  function link(episode, at) {
    const anchor = make("a", "", episode.id);
    anchor.href = `#episode-${at}`;
    return anchor;
  }

  /** @param {Episode} episode */
  function reasons(episode) {
    const place = make("div");
    for (const kind of episode.kinds) place.append(make("span", "tag", kind), " ");
    const effects = episode.side_effects.length;
    if (effects) {
      const tag = make("span", "tag effects", effects === 1 ? "1 side effect" : `${effects} side effects`);
      tag.title = episode.side_effects.join("\n");
      place.append(tag, " ");
    }
    if (episode.outcome !== "success") place.append(why(episode));
    return place;
  }

  // --- trajectories ----------------------------------------------------------------------------------

  const viewer = find("#viewer", HTMLDialogElement);
  const previous = find("#previous", HTMLButtonElement);
  const next = find("#next", HTMLButtonElement);
  /** @type {HTMLIFrameElement | null} */
  let frame = null;
  /** The latest requested episode: an earlier, slower one must not replace it. */
  let asked = -1;

  /** @param {number} page */
  async function unpacked(page) {
    const packed = find(`#page-${page}`, HTMLScriptElement).textContent ?? "";
    const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Blob([await new Response(stream).arrayBuffer()], { type: "text/html;charset=utf-8" });
  }

  /** @param {number} at */
  async function open(at) {
    const { episode } = entries[at];
    if (episode.page === null) return;
    asked = at;
    const trial = episode.trial > 1 ? `, trial ${episode.trial}` : "";
    find("#viewer-title", HTMLElement).textContent = `${episode.agent} · ${episode.id}${trial}`;
    previous.disabled = neighbour(-1) === null;
    next.disabled = neighbour(1) === null;
    if (!viewer.open) viewer.showModal();
    const blob = await unpacked(episode.page);
    if (asked === at) show(URL.createObjectURL(blob));
  }

  /**
   * Show a page in a new frame each time: navigating one frame would fill the history.
   * @param {string} url
   */
  function show(url) {
    frame?.remove();
    const made = make("iframe");
    made.id = "frame";
    made.title = "Trajectory";
    made.setAttribute("sandbox", "allow-scripts");
    made.src = url;
    made.addEventListener("load", () => {
      URL.revokeObjectURL(url);
      made.focus();
    });
    viewer.append(made);
    frame = made;
  }

  /** @param {number} direction */
  function neighbour(direction) {
    const open = shown.filter((entry) => entry.episode.page !== null);
    const place = open.findIndex((entry) => entry.at === asked);
    return place < 0 ? null : open[place + direction]?.at ?? null;
  }

  /** @param {number} direction */
  function move(direction) {
    const at = neighbour(direction);
    if (at !== null) {
      history.replaceState(null, "", `#episode-${at}`);
      addressed();
    }
  }

  /** Show the trajectory that the address names, or none. */
  function addressed() {
    const at = Number(/^#episode-(\d+)$/.exec(location.hash)?.[1] ?? NaN);
    if (entries[at]) open(at);
    else viewer.close();
  }

  viewer.addEventListener("close", () => {
    const at = asked;
    asked = -1;
    frame?.remove();
    frame = null;
    if (location.hash.startsWith("#episode-")) history.replaceState(null, "", "#episodes");
    const anchor = list.querySelector(`a[href="#episode-${at}"]`);
    if (anchor instanceof HTMLElement) anchor.focus();
  });
  addEventListener("hashchange", addressed);
  addEventListener("message", (event) => {
    // The frame has the keyboard focus while it is open, so it forwards this key.
    if (frame && event.source === frame.contentWindow && event.data === "websp:close") viewer.close();
  });
  find("#close", HTMLButtonElement).addEventListener("click", () => viewer.close());
  previous.addEventListener("click", () => move(-1));
  next.addEventListener("click", () => move(1));

  // --- tables that are wider than the window ----------------------------------------------------------

  for (const wide of document.querySelectorAll(".wide")) {
    const hint = wide.nextElementSibling;
    const look = () => {
      wide.classList.toggle("more", wide.scrollWidth - wide.clientWidth - wide.scrollLeft > 1);
      if (hint instanceof HTMLElement && hint.matches(".onward")) hint.hidden = !wide.classList.contains("more");
    };
    wide.addEventListener("scroll", look, { passive: true });
    const watch = new ResizeObserver(look);
    watch.observe(wide);
    if (wide.firstElementChild) watch.observe(wide.firstElementChild);
    look();
  }

  // --- controls --------------------------------------------------------------------------------------

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    search.value = "";
    filterBy({});
  });
  search.addEventListener("input", update);
  for (const select of selects) {
    select.addEventListener("change", () => {
      const { [select.dataset.filter ?? ""]: _, ...rest } = filters;
      filterBy(select.value ? { ...rest, [select.dataset.filter ?? ""]: select.value } : rest);
    });
  }
  more.addEventListener("click", () => {
    limit += SOME;
    render();
  });
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    const { filters: wantedOnes, sort } = button?.dataset ?? {};
    if (wantedOnes) {
      search.value = "";
      filterBy(JSON.parse(wantedOnes));
      find("#episodes", HTMLElement).scrollIntoView();
      find("#episodes-title", HTMLElement).focus({ preventScroll: true });
    }
    if (sort) {
      sorted = { by: sort, down: sorted.by === sort && !sorted.down };
      update();
    }
  });

  update();
  addressed();
})();
