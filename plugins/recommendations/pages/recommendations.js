const severities = { critical: 'Critical', warn: 'Warning', info: 'Hint' };

/** Texts only ever become text: nothing in a title is markup. */
function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content.filter(Boolean));
  return made;
}

function link({ action_link, title }) {
  const made = element('a', '', 'Go there', element('span', 'visually-hidden', `: ${title}`));
  made.href = action_link;
  return made;
}

const card = (recommendation) =>
  element(
    'li',
    `card ${recommendation.severity}`,
    element('p', 'severity', severities[recommendation.severity] ?? recommendation.severity),
    element('h2', '', recommendation.title),
    element('p', '', recommendation.why),
    recommendation.action_link && link(recommendation),
  );

/** The page in the console: what this installation would be better for, most severe first. */
export async function show(root, { request }) {
  const { results } = await request('GET', 'recommendations/');
  root.replaceChildren(
    results.length
      ? element('ul', 'cards', ...results.map(card))
      : element('p', 'empty', 'Nothing to recommend: all is well.'),
  );
}
