import { attempt, ListView, PageLayout, request, shown, useApi, useOptions, useQuery } from '@tapline/console-kit';
import { h } from 'preact';

/** What OPTIONS does not tell of the list. */
const hold = {
  path: 'sample-plugin',
  api: 'sample_plugin_holds',
  type: 'sample_plugin_hold',
  one: 'hold',
  many: 'holds',
  nameField: 'reason',
  columns: ['reason', 'job_template'],
};

/** Its search, filters, order and page are in the address. */
function Holds() {
  const options = useOptions('sample_plugin_holds/');
  return h(
    PageLayout,
    { title: 'Sample plugin', intro: 'Templates that must not be launched for now.' },
    h(ListView, { resource: hold, options }),
  );
}

export const routes = [{ pattern: '/sample-plugin', page: Holds }];

/**
 * On the page of a template: why it is held, if it is.
 * @param {import('@tapline/console-kit').PanelProps} props
 */
export function TemplateHold({ record }) {
  const query = useQuery(`sample_plugin_holds/?job_template=${record.id}`);
  return shown(query, { what: 'hold', loading: 'the hold' }, ({ results: [found] }) =>
    found
      ? h(Held, { key: found.id, id: found.id, reload: query.reload })
      : h('p', { class: 'empty' }, 'It may be launched.'),
  );
}

/** @param {{ id: number, reload: () => Promise<void> }} props */
function Held({ id, reload }) {
  const path = `sample_plugin_holds/${id}/`;
  const { data, may } = useApi(path);
  const release = async () => {
    if (await attempt(() => request('DELETE', path), { said: 'The template may be launched again.' })) await reload();
  };
  return h(
    'div',
    null,
    h('p', null, data.value?.reason ?? '…'),
    may('delete') && h('button', { type: 'button', onClick: release }, 'Release'),
  );
}
