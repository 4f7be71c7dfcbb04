// Whether a component is still on the page when an answer arrives.
import { useEffect, useRef } from "react";

export function useMounted(): { readonly current: boolean } {
  const here = useRef(true);
  useEffect(() => {
    here.current = true;
    return () => {
      here.current = false;
    };
  }, []);
  return here;
}
