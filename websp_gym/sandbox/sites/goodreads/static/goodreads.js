// @ts-check
(() => {
  // A form of the account settings saves to an address of its own; the page is known by its ?tab= again.
  const tab = location.pathname.match(/^\/user\/edit\/(\w+)$/)?.[1];
  if (tab) history.replaceState(null, "", `/user/edit?tab=${tab}`);
})();
