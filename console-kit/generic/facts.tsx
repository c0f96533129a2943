import { t } from '../texts/t.ts';
import { Failure, Loading } from '../components/page.tsx';
import { apiOf, type Resource, type Row } from '../resources/resource.ts';
import { Cell } from './cell.tsx';
import { labelOf } from './list-view.tsx';
import { useOptions } from './use-options.ts';

/** Told already by heading and address, or for machines. */
const never = new Set(['id', 'type', 'url', 'related', 'summary_fields', 'name', 'description', 'survey_spec']);

const empty = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** What a record holds, as far as it holds something. */
export function Facts({ resource, row }: { resource: Resource; row: Row }) {
  const { data, error, reload } = useOptions(apiOf(resource));
  if (error.value) return <Failure error={error.value} what={t`list of its fields`} again={reload} />;
  if (!data.value) return <Loading what={t`its fields`} />;
  const fields = data.value.actions.GET ?? {};
  const first = [...(resource.facts ?? []), ...(resource.fields ?? [])];
  const untold = new Set([...never, ...(resource.elsewhere ?? [])]);
  const names = [...new Set([...first, ...Object.keys(fields)])].filter(
    // some are told by name alone
    (name) =>
      !untold.has(name) &&
      (fields[name] || resource.facts?.includes(name)) &&
      !empty(row[name] ?? row.summary_fields?.[name]),
  );
  return (
    <dl class="record">
      {names.map((name) => (
        <div key={name}>
          <dt>{fields[name]?.label ?? labelOf(name)}</dt>
          <dd>
            <Cell row={row} field={name} option={fields[name]} exact />
          </dd>
        </div>
      ))}
    </dl>
  );
}
