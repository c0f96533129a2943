import { Failure, Loading, type Tab, type TabProps, useQuery } from '@tapline/console-kit';

/** What can be launched of it, each with the way to a template. */
export const playbooksTab: Tab = {
  id: 'playbooks',
  label: 'Playbooks',
  content: ({ row }: TabProps) => {
    const { data, error, reload } = useQuery<string[]>(`projects/${row.id}/playbooks/`);
    if (error.value) return <Failure error={error.value} what="list of playbooks" again={reload} />;
    if (!data.value) return <Loading what="playbooks" />;
    if (!data.value.length) return <p class="empty">No playbook is known: update the project.</p>;
    return (
      <ul class="plain playbooks">
        {data.value.map((playbook) => (
          <li key={playbook}>
            <code>{playbook}</code>{' '}
            <a href={`/templates/new?project=${row.id}&playbook=${encodeURIComponent(playbook)}`}>
              New template<span class="visually-hidden"> of {playbook}</span>
            </a>
          </li>
        ))}
      </ul>
    );
  },
};
