/** Each job leaves proof outside the service: one numbered line per step, appended by the playbook itself. */
export const lines = 8;

export const floodLines = 30_000;

/** Of a credential, and asked for at launch: to be seen nowhere. */
export const secrets = { stored: 'chaos-hidden-4c1d', asked: 'chaos-asked-77e0' };

/** `raw` takes a quarter of the processor's time that a module of Python would: what is struck here is the service. */
const append = (folder: string) => `- hosts: all
  gather_facts: false
  tasks:
    - name: append
      raw: echo {{ item }} >> ${folder}/{{ svc_job_id }} && sleep 0.2
      loop: "{{ range(1, ${lines + 1}) | list }}"
`;

const flood = (folder: string) => `- hosts: all
  gather_facts: false
  tasks:
    - name: append
      raw: echo 1 >> ${folder}/{{ svc_job_id }}
    - debug:
        msg: "{{ range(1, ${floodLines + 1}) | map('regex_replace', '^', 'line-') | list }}"
`;

export interface Play {
  playbook(folder: string): string;
  /** how its job ends when nobody kills its process or cancels it */
  ends: 'successful' | 'failed';
  /** lines it leaves outside */
  lines: number;
  /** how often it is launched */
  share: number;
  /** of its job template */
  columns?: Record<string, unknown>;
  /** comes from a repository that is updated before each job */
  updated?: true;
  /** has a credential that asks for a password at launch */
  credentials?: true;
  /** nothing of it runs beside another */
  alone?: true;
}

const appended = { playbook: append, ends: 'successful', lines } as const;

export const plays = {
  append: { ...appended, share: 5 },
  fail: {
    playbook: (folder) => `${append(folder)}    - fail: {msg: as it should}\n`,
    ends: 'failed',
    lines,
    share: 2,
  },
  flood: { playbook: flood, ends: 'successful', lines: 1, share: 2 },
  facts: {
    ...appended,
    playbook: (folder) => `${append(folder)}    - set_fact: {chaos_job: "{{ svc_job_id }}", cacheable: true}\n`,
    share: 2,
    columns: { use_fact_cache: true },
  },
  stats: {
    ...appended,
    playbook: (folder) => `${append(folder)}    - set_stats: {data: {chaos_job: "{{ svc_job_id }}"}}\n`,
    share: 2,
  },
  secret: {
    ...appended,
    playbook: (folder) => `${append(folder)}    - debug: {msg: "told ${secrets.stored} and ${secrets.asked}"}\n`,
    share: 2,
    credentials: true,
  },
  updated: { ...appended, share: 3, updated: true },
  alone: { ...appended, share: 2, columns: { allow_simultaneous: false }, alone: true },
} satisfies Record<string, Play>;

export type PlayName = keyof typeof plays;

export const playNames = Object.keys(plays) as PlayName[];
export const playOf = (name: PlayName): Play => plays[name];
