// @ts-check
/// <reference path="../../../kit/static/kit.js" />
// The coupons of a first visit, and the bag buttons of the product grid.
"use strict";

(() => {
  const SEEN = "coupon_seen=1";
  const coupon = document.querySelector(".j-coupon");
  if (coupon instanceof HTMLElement) coupon.hidden = document.cookie.includes(SEEN);

  /** @type {(button: HTMLElement) => Promise<void>} */
  const add = async (button) => {
    try {
      await kitPost("/bag/add", { sku: button.dataset.sku, size: "M" });
    } catch {
      kitToast("That did not work");
      return;
    }
    const count = document.querySelector(".count");
    if (count) count.textContent = String(Number(count.textContent) + 1);
    kitToast("Added to bag");
  };
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (target?.closest("[data-coupon]") && coupon instanceof HTMLElement) {
      coupon.hidden = true;
      document.cookie = `${SEEN}; path=/; max-age=604800; secure; samesite=lax`;
    }
    const button = target?.closest(".add");
    if (button instanceof HTMLElement) void add(button);
  });
})();
