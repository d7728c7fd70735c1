// Copying text, and saying for a moment whether that worked.

import { useEffect, useState } from "preact/hooks";
import { copyText } from "../base/save";

const TOLD_MS = 2000;

/** The word to show instead of `label` after copying, and what copies. */
export function useCopied(label: string): [string, (text: string) => void] {
  const [told, setTold] = useState("");
  useEffect(() => {
    if (told === "") return;
    const timer = setTimeout(() => setTold(""), TOLD_MS);
    return () => clearTimeout(timer);
  }, [told]);
  const copy = (text: string): void => {
    void copyText(text).then((done) =>
      setTold(done ? "Copied" : "This page may not copy"),
    );
  };
  return [told || label, copy];
}
