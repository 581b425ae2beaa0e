/**
 * A map whose changes can be undone, for facts that hold to the end of a block. Copying the map for every block instead would
 * make a function of ten thousand blocks a matter of minutes.
 */

export class ScopedMap<K, V> {
  private readonly map = new Map<K, V>();
  /** Former values of changed keys, oldest first. */
  private readonly changes: { readonly key: K; readonly before: V | undefined }[] = [];

  get(key: K): V | undefined {
    return this.map.get(key);
  }

  set(key: K, value: V): void {
    const before = this.map.get(key);
    if (before === value) return;
    this.changes.push({ key, before });
    this.map.set(key, value);
  }

  delete(key: K): void {
    const before = this.map.get(key);
    if (before === undefined) return;
    this.changes.push({ key, before });
    this.map.delete(key);
  }

  /** Runs `work`, then takes back every change that it made. */
  inside<T>(work: () => T): T {
    const mark = this.changes.length;
    const result = work();
    while (this.changes.length > mark) {
      const { key, before } = this.changes.pop() as { key: K; before: V | undefined };
      if (before === undefined) this.map.delete(key);
      else this.map.set(key, before);
    }
    return result;
  }
}
