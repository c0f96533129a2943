import { element, t } from '@tapline/console-kit';
import { button, failure, field, select } from './dom.js';

/** What calendars are bound to: the path of its list, and what one is called. */
const kinds = [
  ['organizations', t`Organization`],
  ['inventories', t`Inventory`],
  ['job_templates', t`Job template`],
  ['workflow_job_templates', t`Workflow`],
  ['projects', t`Project`],
  ['inventory_sources', t`Inventory source`],
  ['system_job_templates', t`System job`],
];
const lists = ['organizations', 'inventories', 'unified_job_templates'];
const most = 200;

/** Where a calendar counts; whoever administers it binds it to what else they may change. */
export async function showBindings(part, context, { calendar, editable }) {
  const { request, toast } = context;
  const again = () => showBindings(part, context, { calendar, editable });
  const send = async (path, body, said) => {
    try {
      await request('POST', `${path}calendars/`, { body: { id: calendar.id, ...body } });
      toast(said, 'good');
      await again();
    } catch (error) {
      part.append(failure(error));
    }
  };
  const pages = await Promise.all(
    lists.map((list) => request('GET', `calendars/${calendar.id}/${list}/?page_size=${most}`)),
  );
  const bound = pages.flatMap(({ results }) => results);
  const takeOff = (record) =>
    button([t`Unbind`, element('span', { class: 'visually-hidden' }, ` ${record.name}`)], () =>
      send(pathOf(record), { disassociate: true }, t`${record.name} is not bound any more.`),
    );
  part.replaceChildren(
    element('h2', {}, t`Bound to`),
    bound.length
      ? element(
          'ul',
          { class: 'plain panel-links' },
          bound.map((record) =>
            element(
              'li',
              {},
              element('span', {}, `${labelOf(record)} `, element('strong', {}, record.name)),
              editable && takeOff(record),
            ),
          ),
        )
      : element('p', { class: 'empty' }, t`Nothing yet: it denies nothing.`),
    editable ? bindForm(context, (record) => send(pathOf(record), {}, t`${record.name} is bound.`)) : '',
  );
}

/** Below /api/v2/; the address of a record says it for every type. */
const pathOf = ({ url }) => url.replace(/^\/api\/v2\//, '');

const labelOf = ({ url }) => kinds.find(([path]) => pathOf({ url }).startsWith(`${path}/`))?.[1] ?? t`Template`;

function bindForm({ request }, bind) {
  const kind = select(kinds, 'organizations', { name: 'kind' });
  const search = element('input', { type: 'search', name: 'search', autocomplete: 'off' });
  const found = select([], '', { name: 'record', required: true });
  const record = field(t`Which one`, found);
  let records = [];
  let turn = 0;
  const look = async () => {
    const mine = ++turn;
    const query = new URLSearchParams({ page_size: '50', ...(search.value ? { search: search.value } : {}) });
    const asked = request('GET', `${kind.value}/?${query}`);
    const { results, problem = '' } = await asked.catch(({ message }) => ({ results: [], problem: message }));
    if (mine !== turn) return;
    record.say(problem);
    records = results;
    found.replaceChildren(...results.map(({ id, name }) => element('option', { value: String(id) }, name)));
  };
  for (const [control, event] of [
    [kind, 'change'],
    [search, 'input'],
  ])
    control.addEventListener(event, () => void look());
  void look();
  const submit = (event) => {
    event.preventDefault();
    const chosen = records.find(({ id }) => String(id) === found.value);
    record.say(chosen ? '' : t`Choose one.`);
    if (chosen) void bind(chosen);
  };
  return element(
    'form',
    { submit, 'aria-label': t`Bind it` },
    field(t`Kind`, kind),
    field(t`Search`, search, { hint: t`By name; the first fifty that fit are offered.` }),
    record,
    element('div', { class: 'form-actions' }, element('button', { type: 'submit' }, t`Bind`)),
  );
}
