import { element, t } from '@tapline/console-kit';
import { showBindings } from './bindings.js';
import { preview } from './days.js';
import { button, failure } from './dom.js';

/** One calendar: what it comes to in the next days, what it is bound to. */
export async function showDetail(root, context, id) {
  const { request } = context;
  const path = `calendars/${id}/`;
  const [calendar, { actions }, { results: spans }] = await Promise.all([
    request('GET', path),
    request('OPTIONS', path),
    request('GET', `${path}spans/`),
  ]);
  const editable = Boolean(actions.PUT);
  const bindings = element('section', { 'aria-label': t`Bound to` });
  root.replaceChildren(
    element('p', {}, element('a', { href: '/calendars' }, t`All calendars`)),
    element('h2', {}, calendar.name),
    calendar.description ? element('p', {}, calendar.description) : '',
    element(
      'p',
      { class: 'muted' },
      calendar.kind === 'deny' ? t`Nothing starts within its windows. ` : t`Nothing starts outside of its windows. `,
      t`Of the organization ${calendar.summary_fields.organization?.name ?? ''}.`,
    ),
    editable ? tools(context, calendar) : '',
    preview(calendar, spans, Date.now()),
    bindings,
  );
  await showBindings(bindings, context, { calendar, editable });
}

function tools({ request, go, toast }, { id, name }) {
  const part = element('p', { class: 'tab-actions' });
  const remove = async () => {
    try {
      await request('DELETE', `calendars/${id}/`);
      toast(t`${name} is deleted.`, 'good');
      go('/calendars');
    } catch (error) {
      part.append(failure(error));
    }
  };
  const sure = () => {
    const keep = button(t`Keep it`, usual);
    part.replaceChildren(button(t`Delete it and its bindings`, remove, { class: 'danger' }), keep);
    keep.focus();
  };
  const usual = () =>
    part.replaceChildren(
      element('a', { class: 'button', href: `/calendars/${id}/edit` }, t`Edit`),
      button(t`Delete`, sure, { class: 'danger' }),
    );
  usual();
  return part;
}
