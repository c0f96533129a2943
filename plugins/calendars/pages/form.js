import { element, t } from '@tapline/console-kit';
import { failure, field, select } from './dom.js';
import { windowsField } from './windows.js';

const kinds = [
  ['deny', t`Deny: nothing starts within its windows`],
  ['allow', t`Allow: nothing starts outside of its windows`],
];

/** A new calendar, or one that is changed. */
export async function showForm(root, { request, go, toast }, calendar) {
  const { fields, values } = await fieldsOf(request, calendar);
  const windows = windowsField(calendar?.windows ?? []);
  const problem = element('div');
  const body = () => ({ ...values(), windows: windows.value() });
  const submit = async (event) => {
    event.preventDefault();
    clear({ fields, windows, problem });
    try {
      const made = await (calendar
        ? request('PATCH', `calendars/${calendar.id}/`, { body: body() })
        : request('POST', 'calendars/', { body: body() }));
      toast(t`${made.name} is saved.`, 'good');
      go(`/calendars/${made.id}`);
    } catch (error) {
      tell(error, { fields, windows, problem });
    }
  };
  root.replaceChildren(
    element('h2', {}, calendar ? t`Edit ${calendar.name}` : t`New calendar`),
    element(
      'form',
      { submit, novalidate: true },
      problem,
      Object.values(fields),
      windows.part,
      element(
        'div',
        { class: 'form-actions' },
        element('button', { type: 'submit', class: 'primary' }, t`Save calendar`),
        element('a', { class: 'button', href: calendar ? `/calendars/${calendar.id}` : '/calendars' }, t`Cancel`),
      ),
    ),
  );
}

/** All but the windows, and what they hold; a calendar stays in its organization. */
async function fieldsOf(request, calendar) {
  const text = (attributes = {}) => element('input', { type: 'text', autocomplete: 'off', ...attributes });
  const controls = {
    name: text({ required: true, value: calendar?.name ?? '' }),
    description: text({ value: calendar?.description ?? '' }),
    ...(calendar ? {} : { organization: await organizations(request) }),
    kind: select(kinds, calendar?.kind ?? 'deny'),
    timezone: text({
      value: calendar?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      required: true,
    }),
  };
  const labels = {
    name: t`Name`,
    description: t`Description`,
    organization: t`Organization`,
    kind: t`Kind`,
    timezone: t`Zone`,
  };
  const hints = { timezone: t`Whose clocks count, such as Europe/Zurich.` };
  return {
    fields: Object.fromEntries(
      Object.entries(controls).map(([name, control]) => [name, field(labels[name], control, { hint: hints[name] })]),
    ),
    values: () =>
      Object.fromEntries(
        Object.entries(controls).map(([name, { value }]) => [
          name,
          name === 'organization' ? Number(value) : value.trim(),
        ]),
      ),
  };
}

/** Those for which the caller may make some. */
async function organizations(request) {
  const { results } = await request('GET', 'organizations/?role_level=admin_role&order_by=name&page_size=200');
  return select(
    results.map(({ id, name }) => [id, name]),
    results[0]?.id,
    { required: true },
  );
}

function clear({ fields, windows, problem }) {
  for (const one of Object.values(fields)) one.say('');
  windows.say('');
  problem.replaceChildren();
}

/** What the service says, at the field that it says it of. */
function tell(error, { fields, windows, problem }) {
  const told = error.status === 400 && typeof error.body === 'object' ? Object.entries(error.body ?? {}) : [];
  const others = [];
  for (const [name, texts] of told) {
    const said = [texts].flat().join(' ');
    if (name === 'windows') windows.say(said);
    else if (fields[name]) fields[name].say(said);
    else others.push(said);
  }
  if (!told.length) problem.replaceChildren(failure(error));
  else if (others.length) problem.replaceChildren(failure({ message: others.join(' ') }));
  document.querySelector('[aria-invalid="true"]')?.focus();
}
