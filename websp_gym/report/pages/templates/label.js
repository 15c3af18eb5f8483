
// Keys of the bar with which a person labels an episode.

(() => {
  const { find } = nodes;
  const form = find("#label", HTMLFormElement);
  /** @type {Record<string, string>} */
  const links = { p: "#previous", n: "#following", o: "#overview" };

  document.addEventListener("keydown", (event) => {
    const at = event.target instanceof Element ? event.target : document.body;
    if (at.matches("input:not([type=checkbox]), textarea, select")) {
      if (event.key === "Escape" && at instanceof HTMLElement) at.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (links[event.key]) return find(links[event.key], HTMLAnchorElement).click();
    const button = [...form.querySelectorAll("button")].find((one) => one.dataset.key === event.key);
    if (button && !button.disabled) button.click();
  });
})();
