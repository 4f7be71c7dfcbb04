// Whether a part is still on the page: an answer that comes after it has gone must not act on what stands there now.
import { useEffect, useRef } from "react";

export function useHere(): { readonly current: boolean } {
  const here = useRef(true);
  useEffect(() => {
    here.current = true;
    return () => {
      here.current = false;
    };
  }, []);
  return here;
}
