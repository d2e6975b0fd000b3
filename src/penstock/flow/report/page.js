"use strict";
// Groups open and close, and what is typed into the field at the top chooses rows and findings.
const field = document.querySelector("#find");
const counted = document.querySelector("#found");
const groups = [...document.querySelectorAll("tbody.group")];
const open = (group, state) => {
  group.classList.toggle("open", state);
  group.querySelector("button").setAttribute("aria-expanded", state);
};
for (const group of groups) {
  group.querySelector("button").addEventListener("click", () => open(group, !group.classList.contains("open")));
}
const fits = (element, words) => words.every((word) => element.textContent.toLowerCase().includes(word));
const choose = () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const body of document.querySelectorAll("tbody.one, tbody.group, article")) {
    const head = body.querySelector("tr.head");
    const members = [...body.querySelectorAll("tr.member")];
    // A member fits together with what the row of its group says of it: "block7 stopped".
    const said = head ? head.textContent.toLowerCase() : "";
    const hits = members.filter((row) =>
      words.every((word) => said.includes(word) || row.textContent.toLowerCase().includes(word)));
    const whole = fits(head || body, words);
    for (const row of members) row.hidden = !whole && !hits.includes(row);
    body.hidden = !whole && !hits.length;
    if (body.classList.contains("group")) open(body, words.length > 0 && !whole && hits.length > 0);
    if (!body.hidden) found += body.classList.contains("group") ? (whole ? members.length : hits.length) : 1;
  }
  counted.textContent = words.length ? `${found} found` : "";
};
if (field) field.addEventListener("input", choose);
