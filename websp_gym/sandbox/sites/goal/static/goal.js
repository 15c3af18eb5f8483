// @ts-check
(() => {
  // The tabs of the account page are known by the hash of its address; a panel's own address becomes one.
  const place = /** @type {HTMLElement | null} */ (document.querySelector("[data-account]"))?.dataset.account;
  if (place) history.replaceState(null, "", `/en/account-details#${place}`);
  const options = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-tab]")]);

  function show() {
    const names = options.map(({ dataset }) => dataset.tab);
    const wanted = names.includes(location.hash.slice(1)) ? location.hash.slice(1) : names[0];
    for (const option of options) {
      const on = option.dataset.tab === wanted;
      option.classList.toggle("active", on);
      const tab = document.getElementById(`tab-${option.dataset.tab}`);
      if (tab) tab.hidden = !on;
    }
  }
  for (const option of options) option.addEventListener("click", () => { location.hash = option.dataset.tab ?? ""; });
  window.addEventListener("hashchange", show);
  show();
})();
