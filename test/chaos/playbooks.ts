/** Each job leaves proof outside the service: one numbered line per step, appended by the playbook itself. */
export const lines = 30;

export const appendPlaybook = (folder: string) => `- hosts: all
  gather_facts: false
  tasks:
    - name: append
      shell: echo {{ item }} >> ${folder}/{{ svc_job_id }} && sleep 0.1
      loop: "{{ range(1, ${lines + 1}) | list }}"
`;

export const floodLines = 30_000;

export const floodPlaybook = (folder: string) => `- hosts: all
  gather_facts: false
  tasks:
    - shell: echo 1 >> ${folder}/{{ svc_job_id }}
    - debug:
        msg: "{{ range(1, ${floodLines + 1}) | map('regex_replace', '^', 'line-') | list }}"
`;
