/** States that can be undone and done again. A state is never changed once it is in here. */
export class History {
  constructor(first, limit = 200) {
    this.limit = limit;
    this.states = [first];
    this.place = 0;
  }

  get now() { return this.states[this.place]; }
  get canUndo() { return this.place > 0; }
  get canRedo() { return this.place < this.states.length - 1; }

  push(state) {
    this.states = [...this.states.slice(0, this.place + 1), state].slice(-this.limit);
    this.place = this.states.length - 1;
  }

  undo() { if (this.canUndo) this.place -= 1; return this.now; }
  redo() { if (this.canRedo) this.place += 1; return this.now; }
}
