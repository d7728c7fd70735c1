// Long work in small steps: between two of them the page draws and answers.

export function nextTurn(): Promise<void> {
  return new Promise((done) => setTimeout(done));
}
