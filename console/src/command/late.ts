// The dialog for commands: loaded when somebody first commands something.
import { lazy } from "react";
import { late } from "../api/late";

export const CommandDialog = lazy(() => late(() => import("./dialog")));
