/** Bytes as a report holds them; Python writes them (report/base85.py). */
export function base85(bytes: Uint8Array): string {
  const missing = (4 - (bytes.length % 4)) % 4;
  const padded = Buffer.concat([bytes, Buffer.alloc(missing)]);
  let text = "";
  for (let at = 0; at < padded.length; at += 4) {
    let word = padded.readUInt32BE(at);
    let group = "";
    for (let place = 0; place < 5; place++) {
      group = String.fromCharCode(33 + (word % 85)) + group;
      word = Math.floor(word / 85);
    }
    text += group;
  }
  return text.replaceAll("<", "v").slice(0, text.length - missing);
}
