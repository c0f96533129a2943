import { Failure, Loading, type Tab, type TabProps, useQuery, t } from '@tapline/console-kit';

/** What can be launched of it, each with the way to a template. */
export const playbooksTab: Tab = {
  id: 'playbooks',
  label: t`Playbooks`,
  content: ({ row }: TabProps) => {
    const { data, error, reload } = useQuery<string[]>(`projects/${row.id}/playbooks/`);
    if (error.value) return <Failure error={error.value} what={t`list of playbooks`} again={reload} />;
    if (!data.value) return <Loading what={t`playbooks`} />;
    if (!data.value.length) return <p class="empty">{t`No playbook is known: update the project.`}</p>;
    return (
      <ul class="plain playbooks">
        {data.value.map((playbook) => (
          <li key={playbook}>
            <code>{playbook}</code>{' '}
            <a href={`/templates/new?project=${row.id}&playbook=${encodeURIComponent(playbook)}`}>
              {t`New template`}
              <span class="visually-hidden"> {t`of ${playbook}`}</span>
            </a>
          </li>
        ))}
      </ul>
    );
  },
};
