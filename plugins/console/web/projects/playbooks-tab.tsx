import { shown, type Tab, type TabProps, useQuery, t } from '@tapline/console-kit';

/** What can be launched of it, each with the way to a template. */
export const playbooksTab: Tab = {
  id: 'playbooks',
  label: t`Playbooks`,
  content: ({ row }: TabProps) => {
    const query = useQuery<string[]>(`projects/${row.id}/playbooks/`);
    return shown(query, { what: t`list of playbooks`, loading: t`playbooks` }, (playbooks) => {
      if (!playbooks.length) return <p class="empty">{t`No playbook is known: update the project.`}</p>;
      return (
        <ul class="plain playbooks">
          {playbooks.map((playbook) => (
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
    });
  },
};
