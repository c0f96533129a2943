import { drawnPage, element, t } from '@tapline/console-kit';
import { showDetail } from './detail.js';
import { showForm } from './form.js';

const kinds = { deny: t`Nothing starts within its windows`, allow: t`Nothing starts outside of its windows` };

/** The pages of calendars in the console: the list, one of them, and its form. */
async function draw(root, context) {
  const [, id, part] = /^\/?([^/]*)\/?([^/]*)/.exec(context.rest) ?? [];
  if (id === 'new') return showForm(root, context, null);
  if (id && part === 'edit') return showForm(root, context, await context.request('GET', `calendars/${Number(id)}/`));
  if (id) return showDetail(root, context, Number(id));
  return showList(root, context);
}

const perPage = 50;

async function showList(root, { request, query }) {
  const page = Math.max(1, Number(query.get('page')) || 1);
  const [{ count, results }, { actions }] = await Promise.all([
    request('GET', `calendars/?page_size=${perPage}&page=${page}`),
    request('OPTIONS', 'calendars/'),
  ]);
  const pages = Math.ceil(count / perPage);
  const turn = (to, label) => to >= 1 && to <= pages && element('a', { href: `/calendars?page=${to}` }, label);
  root.replaceChildren(
    element('p', {}, t`Windows of time in which launches are allowed, or denied, wherever a calendar is bound.`),
    actions.POST
      ? element(
          'p',
          { class: 'tab-actions' },
          element('a', { class: 'button primary', href: '/calendars/new' }, t`New calendar`),
        )
      : '',
    results.length ? table(results) : element('p', { class: 'empty' }, t`There are no calendars yet.`),
    pages > 1 ? element('p', { class: 'actions' }, turn(page - 1, t`Earlier`), turn(page + 1, t`Later`)) : '',
  );
}

const table = (calendars) =>
  element(
    'div',
    { class: 'table-wrap' },
    element(
      'table',
      {},
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          [t`Name`, t`Kind`, t`Organization`, t`Zone`].map((label) => element('th', { scope: 'col' }, label)),
        ),
      ),
      element('tbody', {}, calendars.map(line)),
    ),
  );

const line = ({ id, name, kind, timezone, summary_fields: summaries }) =>
  element(
    'tr',
    {},
    element('td', {}, element('a', { href: `/calendars/${id}` }, name)),
    element('td', {}, kinds[kind] ?? kind),
    element('td', {}, summaries.organization?.name ?? ''),
    element('td', {}, timezone),
  );

const page = drawnPage({ title: t`Calendars`, path: '/calendars', draw });

export const routes = ['/calendars', '/calendars/:id', '/calendars/:id/:part'].map((pattern) => ({ pattern, page }));
