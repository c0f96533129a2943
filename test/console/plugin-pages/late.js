/** Goes on when the test says so, whether anybody is still there or not. */
export async function show(root, { rest, go }) {
  note('shown', rest);
  await new Promise((resolve) => document.body.addEventListener(`release${rest}`, resolve, { once: true }));
  if (rest === '/failing') throw new Error('Too late.');
  root.append(`This is ${rest}`);
  if (rest === '/elsewhere') go('/hosts');
  return () => note('left', rest);
}

function note(name, rest) {
  document.body.dataset[name] = `${document.body.dataset[name] ?? ''}${rest} `;
}

note('loaded', '');
