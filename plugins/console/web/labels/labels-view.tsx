import { apiOf, attempt, Failure, Loading, may, post, type Row, type TabProps, useAll, t } from '@tapline/console-kit';
import { LabelForm } from './label-form.tsx';

export function LabelsView({ row, resource }: TabProps) {
  const list = `${apiOf(resource)}${row.id}/labels/`;
  const { data, error, reload } = useAll<Row>(list);
  const failure = error.value && <Failure error={error.value} what={t`list of labels`} again={reload} />;
  // where they were read before, a name that somebody is typing stays
  if (failure && !data.value) return failure;
  if (!data.value) return <Loading what={t`the labels`} />;
  const editable = may(row, 'edit');
  const takeOff = async ({ id, name, organization }: Row) => {
    // nobody keeps a label that nothing carries: the same is made again by its name
    const undo = () =>
      attempt(() => post(list, { name, organization }), { said: t`${name} is there again.` }).then(reload);
    const taken = () => post(list, { id, disassociate: true });
    if (await attempt(taken, { said: t`${name} is taken off.`, undo })) await reload();
  };
  return (
    <>
      {failure}
      {!data.value.length && <p class="empty">{t`It has no label yet.`}</p>}
      <ul class="chips" aria-label={t`Labels`}>
        {data.value.map((label) => (
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
  );
}
