import { ActButton, attempt, may, request, type TabProps, t } from '@tapline/console-kit';

/** Takes a node out of work and back, and looks whether it is well. */
export function NodeActions({ row, reload }: TabProps) {
  if (!may(row, 'edit')) return null;
  const enabled = row['enabled'] === true;
  const turn = async () => {
    const said = enabled ? t`It takes no new runs; those that run there go on.` : t`It takes runs again.`;
    const body = { enabled: !enabled };
    if (await attempt(() => request('PATCH', `instances/${row.id}/`, { body }), { said })) await reload();
  };
  return (
    <>
      <ActButton
        label={t`Check its health`}
        what={t`of ${row['hostname']}`}
        path={`instances/${row.id}/health_check/`}
        done={t`The check is asked for.`}
        onDone={reload}
      />
      <button type="button" onClick={() => void turn()}>
        {enabled ? t`Take out of work` : t`Take back to work`}
      </button>
    </>
  );
}
