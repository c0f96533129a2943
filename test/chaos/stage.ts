import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runningUrl, startPostgres } from '@tapline/core/db/postgres.ts';
import pg from 'pg';
import { pino } from 'pino';
import { freePort } from '../../demo/free-port.ts';
import { Api } from './api.ts';
import { makePlaces } from './content.ts';
import { Target } from './events.ts';
import { Node } from './node.ts';
import { forkers } from './processes.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const password = 'chaos-secret';
const superviseMs = 200;

/** A web node and two worker nodes on a throw-away data folder, with the Postgres that they start and revive themselves. */
export class Stage {
  readonly base = mkdtempSync(join(tmpdir(), 'tapline-chaos-'));
  readonly data: string;
  readonly proof: string;
  readonly source: string;
  readonly nodes: Node[];
  readonly api: Api;
  /** is told what becomes of jobs */
  readonly target: Target;
  /** runs whose process was killed */
  readonly struck = new Set<number>();
  /** processes that waited for jobs at any time */
  readonly forkers = new Set<number>();
  readonly #back = new Map<Node, number>();
  #supervisor: NodeJS.Timeout | undefined;

  private constructor(ports: readonly number[], target: Target) {
    this.target = target;
    const { data, proof, source } = makePlaces(this.base);
    this.data = data;
    this.proof = proof;
    this.source = source;
    const env = {
      TAPLINE_DATA: data,
      ADMIN_PASSWORD: password,
      LOG_LEVEL: 'info',
      TAPLINE_AWX_ISOLATION_SHOW_PATHS: JSON.stringify([`${proof}:${proof}:rw`]),
      TAPLINE_PROJECT_FILE_URLS: source,
      TAPLINE_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1',
    };
    this.nodes = (['web', 'worker-1', 'worker-2'] as const).map(
      (name, index) => new Node(name.replace(/-\d/, ''), { ...env, PORT: String(ports[index]) }, name),
    );
    this.api = new Api(ports[0]!, password);
  }

  static async set(): Promise<Stage> {
    return new Stage(await Promise.all([freePort(), freePort(), freePort()]), await Target.listen());
  }

  node(name: string): Node {
    return this.nodes.find((node) => node.name === name)!;
  }

  living(names: readonly string[]): string[] {
    return names.filter((name) => this.node(name).alive);
  }

  /** From now on what ended is started again, as whoever supervises a service does. */
  supervise(): void {
    this.#supervisor = setInterval(() => {
      for (const node of this.nodes) if (!node.alive && (this.#back.get(node) ?? 0) <= Date.now()) node.start();
      for (const pid of forkers(this.nodes.flatMap(({ pid }) => pid ?? []))) this.forkers.add(pid);
    }, superviseMs);
  }

  /** Kills a node, which stays away for a while. */
  async takeDown(name: string, awayMs: number): Promise<string[]> {
    const node = this.node(name);
    if (!node.alive) return [];
    this.#back.set(node, Date.now() + awayMs);
    return (await node.kill()) ? [name] : [];
  }

  /** @throws while there is no server */
  async query(sql: string, values: unknown[] = []): Promise<any[]> {
    const url = runningUrl(this.data);
    if (!url) throw new Error('Postgres does not run');
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** In the orderly way. */
  async stop(): Promise<void> {
    clearInterval(this.#supervisor);
    await Promise.all(this.nodes.map((node) => node.stop()));
    this.target.close();
  }

  /** Whatever became of the nodes, their server does not outlive this. */
  async stopPostgres(): Promise<void> {
    if (runningUrl(this.data))
      await (await startPostgres({ dataDir: this.data, log: pino({ level: 'silent' }) })).stop();
  }

  remove(): void {
    removeFolder(this.base);
  }
}
