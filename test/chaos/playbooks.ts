/** Each job leaves proof outside the service: one numbered line per step, appended by the playbook itself. */
export const lines = 8;

export const floodLines = 30_000;

const append = (folder: string) => `- hosts: all
  gather_facts: false
  tasks:
    - name: append
      shell: echo {{ item }} >> ${folder}/{{ svc_job_id }} && sleep 0.05
      loop: "{{ range(1, ${lines + 1}) | list }}"
`;

export interface Play {
  playbook(folder: string): string;
  /** how its job ends when nobody kills its process */
  ends: 'successful' | 'failed';
  /** lines it leaves outside */
  lines: number;
  /** how often it is launched */
  share: number;
}

export const plays = {
  append: { playbook: append, ends: 'successful', lines, share: 0.5 },
  fail: {
    playbook: (folder) => `${append(folder)}    - fail:
        msg: as it should
`,
    ends: 'failed',
    lines,
    share: 0.2,
  },
  flood: {
    playbook: (folder) => `- hosts: all
  gather_facts: false
  tasks:
    - name: append
      shell: echo 1 >> ${folder}/{{ svc_job_id }}
    - debug:
        msg: "{{ range(1, ${floodLines + 1}) | map('regex_replace', '^', 'line-') | list }}"
`,
    ends: 'successful',
    lines: 1,
    share: 0.3,
  },
} satisfies Record<string, Play>;

export type PlayName = keyof typeof plays;
