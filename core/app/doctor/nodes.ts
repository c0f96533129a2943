import type pg from 'pg';
import { errorsSql, livesSql, stateSql } from '../../nodes/living.ts';
import { strayProcessesSql } from '../../queue/sign-of-life.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

interface NodeState {
  hostname: string;
  state: string;
  errors: string;
  serves: boolean;
  works: boolean;
}

/** Is every process that runs a node, and is there one that carries out runs? */
export async function checkNodes(client: Pick<pg.Client, 'query'>): Promise<Finding[]> {
  const { rows: nodes } = await client.query<NodeState>(
    `select i.hostname, ${stateSql('i')} as state, ${errorsSql('i')} as errors,
       i.boot_id is not null and ${livesSql('i.last_seen')} as serves,
       i.enabled and i.node_type <> 'control' and ${stateSql('i')} = 'ready' as works
     from instances i order by i.hostname`,
  );
  const { rows: strays } = await client.query<{ count: number }>(strayProcessesSql);
  return [...strayFinding(strays[0]?.count ?? 0), ...nodeFindings(nodes)];
}

const strayFinding = (count: number): Finding[] =>
  count
    ? [
        fail(
          `${count} ${count === 1 ? 'process' : 'processes'} of the service lost the name to another one, and ${count === 1 ? 'carries' : 'carry'} out no runs`,
          'Stop one of the two; or give each a TAPLINE_NODE_NAME and TAPLINE_DATA of its own. `readyz` of the one that lost it names the other.',
        ),
      ]
    : [];

function nodeFindings(nodes: readonly NodeState[]): Finding[] {
  const serving = nodes.filter(({ serves }) => serves);
  const silent = nodes.filter(({ state, serves }) => !serves && state !== 'deprovisioning');
  return [
    ...serving.map(({ hostname, state }) => ok(`node ${hostname}: ${state}`)),
    ...(serving.length
      ? silent.map(({ hostname, errors }) =>
          warn(`node ${hostname} does not serve: ${errors}`, 'Start it, or remove it where it is gone for good.'),
        )
      : []),
    ...(serving.length && !nodes.some(({ works }) => works)
      ? [fail('no node carries out runs: launches stay pending', 'Start or enable a node with the role worker.')]
      : []),
  ];
}
