/** Of a third party: it must get no further than its own part of the page. */
export async function show(root, { request, rest, query, user, toast }) {
  const { results } = await request('GET', 'inventories/?order_by=id');
  const list = document.createElement('ul');
  for (const { name } of results) list.append(Object.assign(document.createElement('li'), { textContent: name }));
  const said = document.createElement('p');
  said.textContent = `${user.username} at ${rest || 'the start'}, ${query.get('day') ?? 'any day'}`;
  root.append(said, list);
  return () => toast('The windows are left.');
}
