// The data of the page, and how elements are made. Text goes in as text nodes only: whatever stands in a
// label or a config is shown, never parsed.
const data = JSON.parse(document.getElementById("data").textContent);
const svgNamespace = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(svgNamespace, tag), attributes, children);
}

let controls = 0;  // numbers the groups of radio buttons

// A row of choices of which one holds: radio buttons, so that keys and readers know them.
function segments(title, choices, chosen, change) {
  const group = `choice-${++controls}`;
  return el("fieldset", {}, el("legend", {}, title), el("div", { class: "segments" }, choices.map((choice) =>
    el("label", { title: choice.disabled ? "Nothing of this kind was recorded" : null },
      el("input", { type: "radio", name: group, value: choice.key, checked: choice.key === chosen, disabled: choice.disabled,
        on: { change: () => change(choice.key) } }),
      el("span", {}, choice.label)))));
}

function tick(title, checked, change) {
  return el("label", { class: "tick" },
    el("input", { type: "checkbox", checked, on: { change: (event) => change(event.target.checked) } }), title);
}

function picker(title, choices, chosen, change) {
  return el("label", { class: "pick" }, el("span", { class: "unseen" }, title),
    el("select", { on: { change: (event) => change(event.target.value) } }, choices.map((choice) =>
      el("option", { value: choice.key, selected: choice.key === chosen }, choice.label))));
}

const contents = [];  // [id, title] of every section, for the list at the top

function section(id, title, ...children) {
  contents.push([id, title]);
  return el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), ...children);
}
