/** Something that others can listen to. */
export class Emitter {
  #listeners = new Map();

  /** Call the listener on every event of that name; return a function that ends this. */
  on(name, listener) {
    if (!this.#listeners.has(name)) this.#listeners.set(name, new Set());
    this.#listeners.get(name).add(listener);
    return () => this.#listeners.get(name).delete(listener);
  }

  emit(name, value) {
    for (const listener of [...(this.#listeners.get(name) || [])]) listener(value);
  }
}
