import { apiOf, attempt, may, post, type Row, shown, type TabProps, useAll, t } from '@tapline/console-kit';
import { LabelForm } from './label-form.tsx';

export function LabelsView({ row, resource }: TabProps) {
  const list = `${apiOf(resource)}${row.id}/labels/`;
  const query = useAll<Row>(list);
  const { reload } = query;
  const editable = may(row, 'edit');
  const takeOff = async ({ id, name, organization }: Row) => {
    // nobody keeps a label that nothing carries: the same is made again by its name
    const undo = () =>
      attempt(() => post(list, { name, organization }), { said: t`${name} is there again.` }).then(reload);
    const taken = () => post(list, { id, disassociate: true });
    if (await attempt(taken, { said: t`${name} is taken off.`, undo })) await reload();
  };
  return shown(query, { what: t`list of labels`, loading: t`the labels` }, (labels) => (
    <>
      {!labels.length && <p class="empty">{t`It has no label yet.`}</p>}
      <ul class="chips" aria-label={t`Labels`}>
        {labels.map((label) => (
          <li key={label.id} class="chip">
            <span>{label['name']}</span>
            {editable && (
              <button
                type="button"
                class="icon-button"
                aria-label={t`Take off ${label['name']}`}
                onClick={() => void takeOff(label)}
              >
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
      {editable && <LabelForm row={row} list={list} onDone={reload} />}
    </>
  ));
}
