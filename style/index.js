import "./index.css";
import "./lab_reports.css";
