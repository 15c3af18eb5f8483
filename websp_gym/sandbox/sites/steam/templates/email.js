// @ts-check
// Email preferences: a plain form. Opting out greys the boxes; nothing is saved before Save.

const form = /** @type {HTMLFormElement} */ (document.getElementById("optout_form"));
const optedOut = /** @type {HTMLInputElement} */ (document.getElementById("opt_out_all"));
const boxes = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll(".individual_pref input[type=checkbox]")]);

function checkOptOut() {
  for (const box of boxes) {
    box.disabled = optedOut.checked;
    box.closest(".email_pref_ctn")?.classList.toggle("disabled", optedOut.checked);
  }
}

// A form leaves out both disabled and unticked boxes; only the unticked ones mean "off". The disabled keep their value.
form.addEventListener("formdata", (event) => {
  for (const box of boxes) if (!box.disabled && !box.checked) event.formData.set(box.name, "off");
});

Object.assign(globalThis, { CheckOptOutPref: checkOptOut });
// Going back in the browser's history restores what was ticked, but not what was disabled.
checkOptOut();
window.addEventListener("pageshow", checkOptOut);

export {};
