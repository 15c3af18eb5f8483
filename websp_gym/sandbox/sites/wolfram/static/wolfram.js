// @ts-check
// The tabs of the communication preferences: links that lead nowhere. The address stays that of the page, whatever tab is shown.
(() => {
  const tabs = [...document.querySelectorAll(".communication-preferences-tab")];
  for (const tab of tabs) {
    tab.addEventListener("click", () => {
      for (const other of tabs) {
        other.classList.toggle("selected-tab", other === tab);
        const messages = document.getElementById(other.getAttribute("aria-controls") ?? "");
        if (messages) messages.hidden = other !== tab;
      }
    });
  }
  history.replaceState(null, "", "/communication-preferences");
})();
