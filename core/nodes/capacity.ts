/**
 * What a node can carry, in units of one fork each; a run takes forks + 1 of them.
 * By processor: four forks per core. By memory: 100 MB per fork, once 2 GB are set aside for the service
 * and the system. `capacity_adjustment` (0 to 1) chooses between the smaller and the larger of the two,
 * as in AWX, so that values carried over mean the same.
 */
const FORKS_PER_CPU = 4;
const BYTES_PER_FORK = 100 * 1024 ** 2;
const RESERVED_BYTES = 2 * 1024 ** 3;

export const cpuCapacity = (cpus: number): number => Math.max(1, Math.floor(cpus * FORKS_PER_CPU));
export const memoryCapacity = (bytes: number): number =>
  Math.max(1, Math.floor((bytes - RESERVED_BYTES) / BYTES_PER_FORK));

/** Of a node that has neither, because it carries out nothing, 0. */
export function totalCapacity(cpu: number, memory: number, adjustment: number): number {
  if (!cpu && !memory) return 0;
  const [low, high] = cpu < memory ? [cpu, memory] : [memory, cpu];
  return Math.max(1, Math.floor(low + (high - low) * adjustment));
}
