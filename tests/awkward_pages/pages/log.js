// What a page did, in order, in a place that outlives its documents; `outcome` compares it with what was to be done.
const wanted = document.currentScript.dataset.wanted;
if (wanted !== undefined) localStorage.done = "[]";
let happened = () => JSON.parse(localStorage.done);
function did(what) {
  localStorage.done = JSON.stringify([...JSON.parse(localStorage.done), what]);
}
function outcome() {
  const all = happened().filter(Boolean).join(", ");
  return all === wanted ? "done" : all ? "other" : "no effect";
}
