// @ts-check
(() => {
  /** @type {(id: string) => HTMLInputElement} */
  const field = (id) => /** @type {HTMLInputElement} */ (document.getElementById(id));

  // The map: dragging, the wheel, the arrow keys and the buttons move it. A place on it has made-up coordinates.
  const map = /** @type {SVGSVGElement | null} */ (document.querySelector("[data-map]"));
  if (map) {
    const start = { x: Number(map.dataset.x), y: Number(map.dataset.y), zoom: Number(map.dataset.zoom) };
    const at = { ...start };
    const scale = () => 2 ** (at.zoom - 15);
    const draw = () => {
      at.zoom = Math.min(18, Math.max(14, at.zoom));
      at.x = Math.min(1800, Math.max(-200, at.x));
      at.y = Math.min(1200, Math.max(-200, at.y));
      const { clientWidth: width, clientHeight: height } = map;
      map.setAttribute("viewBox", `${at.x - width / 2 / scale()} ${at.y - height / 2 / scale()} ${width / scale()} ${height / scale()}`);
      map.style.setProperty("--text", `${13 / scale()}px`);
    };
    const lat = (/** @type {number} */ y) => (45.6 - y / 10000).toFixed(5);
    const lon = (/** @type {number} */ x) => (x / 10000 - 122.8).toFixed(5);
    map.addEventListener("wheel", (event) => { event.preventDefault(); at.zoom -= Math.sign(event.deltaY); draw(); }, { passive: false });
    let moved = 0;
    map.addEventListener("pointermove", (event) => {
      if (!(event.buttons & 1)) return;
      moved += Math.abs(event.movementX) + Math.abs(event.movementY);
      at.x -= event.movementX / scale();
      at.y -= event.movementY / scale();
      draw();
    });
    map.addEventListener("pointerdown", () => { moved = 0; });
    map.addEventListener("keydown", ({ key }) => {
      const step = 120 / scale();
      if (key === "ArrowLeft" || key === "ArrowRight") at.x += key === "ArrowLeft" ? -step : step;
      if (key === "ArrowUp" || key === "ArrowDown") at.y += key === "ArrowUp" ? -step : step;
      draw();
    });
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-zoom-by]"))) button.addEventListener("click", () => { at.zoom += Number(button.dataset.zoomBy); draw(); });
    document.querySelector("[data-center]")?.addEventListener("click", () => { Object.assign(at, start); draw(); });
    for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[name=layer]"))) radio.addEventListener("change", () => { map.style.filter = ["", "saturate(1.6)", "hue-rotate(40deg)", "grayscale(.7)", "sepia(.4)", "contrast(.8)"][Number(radio.value)]; });
    field("labels")?.addEventListener("change", () => map.classList.toggle("bare", !field("labels").checked));
    window.addEventListener("resize", draw);
    draw();

    // Edit location: the marker follows the two fields, and a click on the map fills them.
    if (map.closest("[data-home]")) {
      const mark = /** @type {SVGGElement} */ (map.querySelector(".mark"));
      const [show, remove, undo] = ["home_show", "home_delete", "home_undelete"].map((id) => /** @type {HTMLButtonElement} */ (document.getElementById(id)));
      let gone = ["", ""];
      const place = () => {
        const [y, x] = [(45.6 - Number(field("home_lat").value)) * 10000, (Number(field("home_lon").value) + 122.8) * 10000];
        const there = field("home_lat").value !== "" && field("home_lon").value !== "";
        mark.style.display = there ? "" : "none";
        if (there && Number.isFinite(x + y)) mark.setAttribute("transform", `translate(${x} ${y})`);
        show.disabled = remove.disabled = !there;
        remove.hidden = !there && gone[0] !== "";
        undo.hidden = there || gone[0] === "";
        return { x, y };
      };
      const fill = (/** @type {string[]} */ values) => { [field("home_lat").value, field("home_lon").value] = values; place(); };
      for (const id of ["home_lat", "home_lon"]) field(id).addEventListener("input", () => { gone = ["", ""]; place(); });
      show.addEventListener("click", () => { Object.assign(at, place()); draw(); });
      remove.addEventListener("click", () => { gone = [field("home_lat").value, field("home_lon").value]; fill(["", ""]); });
      undo.addEventListener("click", () => { fill(gone); gone = ["", ""]; place(); });
      map.addEventListener("click", (event) => {
        if (moved > 4 || !field("updatehome").checked) return;
        const box = map.getBoundingClientRect();
        fill([lat(at.y + (event.clientY - box.top - box.height / 2) / scale()), lon(at.x + (event.clientX - box.left - box.width / 2) / scale())]);
      });
      place();
    }
  }

  // Edit description: what it will look like.
  const rich = document.querySelector("[data-richtext]");
  if (rich) {
    const text = field("user_description");
    const preview = /** @type {HTMLElement} */ (rich.querySelector(".preview"));
    const buttons = [...rich.querySelectorAll("[data-edit], [data-preview]")];
    for (const button of buttons) {
      button.addEventListener("click", () => {
        const shown = button.hasAttribute("data-preview");
        for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
        preview.hidden = !shown;
        text.hidden = shown;
        preview.replaceChildren(...text.value.split(/\n\s*\n/).map((paragraph) => Object.assign(document.createElement("p"), { textContent: paragraph })));
      });
    }
  }

  // Account: an empty password is not a new one, and the second must be the first.
  const account = document.getElementById("accountForm");
  if (account) {
    const [first, second] = [field("user_pass_crypt"), field("user_pass_crypt_confirmation")];
    const compare = () => second.setCustomValidity(first.value === second.value ? "" : "The passwords do not match.");
    for (const each of [first, second]) each.addEventListener("input", compare);
    account.addEventListener("submit", () => { first.disabled = second.disabled = first.value === ""; });
  }
})();
